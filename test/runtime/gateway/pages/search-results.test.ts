import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { ToolPart } from '../../../../runtime/client/index.ts';
import {
  hitsOf,
  PageResult,
  pageOf,
  SearchResults,
} from '../../../../runtime/gateway/pages/chat/rare/search-results.tsx';

const hit = {
  ...{ sid: 1, url: 'https://example.org/tides', title: 'Tides & <moons>' },
  ...{ snippet: 'The moon…', published: '2026-03-04' },
};
const partOf = (tool: string, ret: unknown, result: object = { ok: true, ret }) =>
  ({
    kind: 'tool',
    key: 'tc_1',
    tool,
    state: 'done',
    progress: '',
    input: { url: 'https://example.org/long' },
    result,
  }) as ToolPart;

// proves: page.search-results
test('the hits of a web search are links with their site, date and text', () => {
  const found = hitsOf(
    partOf('web_tools.search', [hit, { ...hit, title: '', published: undefined, snippet: '' }]),
  );
  expect(
    renderToStaticMarkup(createElement(SearchResults, found ?? { hits: [], goesOn: true })),
  ).toBe(
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

const read = {
  ...{ sid: 1, url: 'https://example.org/tides', title: 'Tides & <moons>' },
  ...{ published: '2026-03-04', chars: 90 },
};

// proves: page.page-result
test('a page that was read is a link with its site, date and the beginning of its text', () => {
  const text = `# Tides\n\n${'The <moon> pulls. '.repeat(100)}`;
  const page = pageOf(partOf('web_tools.fetch', { ...read, text }));
  if (!page) throw new Error('a page');
  expect(renderToStaticMarkup(createElement(PageResult, { page }))).toMatch(
    /^<div class="hits"><div><a href="https:\/\/example.org\/tides" target="_blank" rel="noopener noreferrer">Tides &amp; &lt;moons&gt;<\/a><span class="place">example.org<time dateTime="2026-03-04"> · 2026-03-04<\/time><\/span><p># Tides The &lt;moon&gt; pulls. .*…<\/p><\/div><\/div>$/,
  );
  expect(page.snippet.length).toBeLessThanOrEqual(401);
  const short = pageOf(partOf('web_tools.fetch', { ...read, text: 'Ebb\nand flow.' }));
  expect(short?.snippet).toBe('Ebb and flow.');
});

const previewed = (preview: string) => ({
  ...{ ok: true, ret_size: 13_000, shape: '…' },
  ret: { truncated: true, chars: 13_000, preview },
});

// proves: page.page-result
test('a page whose result is too large to be sent is shown like others, by its beginning', () => {
  const preview = `${JSON.stringify({ ...read, chars: 40_000, next: 12_000 })}\n\n# Tides\n\n${'The moon pulls. '.repeat(110)}`;
  const page = pageOf(partOf('web_tools.fetch', undefined, previewed(preview)));
  expect(page).toMatchObject({ url: read.url, title: read.title, published: read.published });
  expect(page?.snippet).toMatch(/^# Tides The moon pulls\. .*…$/);
  for (const rest of [previewed('{"sid":1,"url":"https://exa'), { ok: true, ret_size: 13_000 }])
    expect(pageOf(partOf('web_tools.fetch', undefined, rest))).toEqual({
      ...{ url: 'https://example.org/long', title: 'https://example.org/long' },
      ...{ snippet: '', published: '' },
    });
});

// proves: page.search-results
test('of hits that are too large to be sent, those that are whole are shown, with a note', () => {
  const preview = JSON.stringify([hit, { ...hit, title: 'A } in it' }, hit]).slice(0, -30);
  const found = hitsOf(partOf('web_tools.search', undefined, previewed(preview)));
  expect(found?.hits.map(({ title }) => title)).toEqual(['Tides & <moons>', 'A } in it']);
  expect(
    renderToStaticMarkup(createElement(SearchResults, found ?? { hits: [], goesOn: false })),
  ).toMatch(/These are the first 2; more were found\.<\/p>$/);
  expect(hitsOf(partOf('web_tools.search', undefined, previewed('[{"sid":1,"url"')))).toBe(
    undefined,
  );
});

// proves: page.page-result
test('other results, failed reads, and addresses outside of the web, are not shown as pages', () => {
  const failed = {
    ...partOf('web_tools.fetch', undefined, { ok: false }),
    state: 'failed',
  } as const;
  for (const part of [
    failed,
    { ...failed, state: 'running' } as const,
    partOf('shop.fetch', read),
    partOf('web_tools.fetch', { ...read, url: 'javascript:alert(1)' }),
    partOf('web_tools.fetch', 'text'),
  ])
    expect(pageOf(part)).toBeUndefined();
});
