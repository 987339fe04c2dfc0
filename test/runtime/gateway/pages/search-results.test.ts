import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { ToolPart } from '../../../../runtime/client/index.ts';
import {
  hitsOf,
  SearchResults,
} from '../../../../runtime/gateway/pages/chat/rare/search-results.tsx';

const hit = {
  ...{ sid: 1, url: 'https://example.org/tides', title: 'Tides & <moons>' },
  ...{ snippet: 'The moon…', published: '2026-03-04' },
};
const partOf = (tool: string, ret: unknown) =>
  ({
    kind: 'tool',
    key: 'tc_1',
    tool,
    state: 'done',
    progress: '',
    input: {},
    result: { ok: true, ret },
  }) as ToolPart;

// proves: page.search-results
test('the hits of a web search are links with their site, date and text', () => {
  const hits = hitsOf(
    partOf('web_tools.search', [hit, { ...hit, title: '', published: undefined, snippet: '' }]),
  );
  expect(renderToStaticMarkup(createElement(SearchResults, { hits: hits ?? [] }))).toBe(
    '<ol class="hits" aria-label="Search results">' +
      '<li><a href="https://example.org/tides" target="_blank" rel="noopener noreferrer">Tides &amp; &lt;moons&gt;</a>' +
      '<span class="place">example.org<time dateTime="2026-03-04"> · 2026-03-04</time></span><p>The moon…</p></li>' +
      '<li><a href="https://example.org/tides" target="_blank" rel="noopener noreferrer">https://example.org/tides</a>' +
      '<span class="place">example.org</span></li></ol>',
  );
});

// proves: page.search-results
test('other results, and addresses outside of the web, are not shown as hits', () => {
  for (const ret of [
    [],
    'text',
    null,
    [5, { ...hit, url: 'javascript:alert(1)' }, { ...hit, url: 'https://' }],
  ])
    expect(hitsOf(partOf('web_tools.search', ret))).toBeUndefined();
  expect(hitsOf(partOf('shop.search', [hit]))).toBeUndefined();
});
