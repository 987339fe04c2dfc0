import fc from 'fast-check';
import type { Token } from 'markdown-it';
import { expect, test } from 'vitest';
import {
  type MarkdownBlock,
  MarkdownBlocks,
} from '../../../../runtime/gateway/pages/shared/markdown/markdown-blocks.ts';

const plain = (tokens: readonly Token[]): unknown =>
  tokens
    .filter(({ hidden }) => !hidden)
    .map(({ type, tag, content, attrs, meta, children }) =>
      children ? plain(children) : { type, tag, content, attrs, meta },
    );

const read = (text: string) => new MarkdownBlocks().next(text, true).blocks;

/** What a person sees, without marks. */
function textOf(blocks: readonly MarkdownBlock[]): string {
  const each = ({ children, content }: Token): string => children?.map(each).join('') ?? content;
  return blocks.flat().map(each).join('');
}

const pieces = [
  ...['- a', '1', '1. b', '>', '> c', '```', '~~~', '---', '===', '-', '#', '# d', '| e | f |'],
  ...[
    '|--|--|',
    '|',
    '    ',
    '  ',
    ' ',
    '\t',
    '\n',
    '\n',
    '\n\n',
    '\r\n',
    '*',
    '**',
    '_',
    '`',
    'word',
  ],
  ...['[x]', '(y)', '- [ ] todo', '<div>', '</div>', '\\', '&amp;', 'https://example.org/a_(b)'],
];

// proves: page.markdown-grows
test('a text that grows in any pieces has the same blocks as the whole text', () => {
  const growing = fc.array(fc.constantFrom(...pieces), { maxLength: 40 });
  fc.assert(
    fc.property(growing, (parts) => {
      const blocks = new MarkdownBlocks();
      let [text, shown] = ['', [] as MarkdownBlock[]];
      for (const part of parts) {
        text += part;
        const change = blocks.next(text, false);
        shown = [...shown.slice(0, change.kept), ...change.blocks];
        expect(shown.map(plain), JSON.stringify(text)).toEqual(read(text).map(plain));
      }
    }),
    { numRuns: 300 },
  );
});

test('settled blocks are not parsed again: of 200 paragraphs one changes', () => {
  const blocks = new MarkdownBlocks();
  const text = Array.from({ length: 200 }, (_, at) => `Paragraph *${at}*.\n\n`).join('');
  blocks.next(text, false);
  const { kept, blocks: changed } = blocks.next(`${text}The last`, false);
  expect([kept, changed.length]).toEqual([199, 2]);
});

// proves: page.markdown-standard
test.each([
  [
    'a list with a paragraph',
    '- a\n\n  b\n- c',
    [
      'bullet_list_open',
      'list_item_open',
      'paragraph_open',
      'paragraph_open',
      'list_item_open',
      'paragraph_open',
    ],
  ],
  [
    'a list with code',
    '1. a\n\n   ```js\n   let x\n   ```',
    ['ordered_list_open', 'list_item_open', 'paragraph_open', 'fence'],
  ],
  ['a line that goes on', '- a\nb', ['bullet_list_open', 'list_item_open']],
  [
    'a table',
    '| a |\n| :-: |\n| b |',
    ['table_open', 'thead_open', 'tr_open', 'th_open', 'tbody_open', 'tr_open', 'td_open'],
  ],
  ['HTML', '<img src=x onerror=alert(1)>', ['paragraph_open']],
])('%s is read as CommonMark and GFM say', (_, text, types) => {
  const tokens = read(text).flat();
  const opened = tokens.filter(({ type, hidden }) => /_open$|fence/.test(type) && !hidden);
  expect(opened.map(({ type }) => type)).toEqual(types);
});

test('tasks, addresses with parentheses, bare addresses and links defined at the end', () => {
  const tasks = read('- [ ] a\n- [x] b\n- [y] c').flat();
  const items = tasks.filter(({ type }) => type === 'list_item_open');
  expect(items.map(({ meta }) => meta)).toEqual([{ task: false }, { task: true }, null]);
  const hrefs = (text: string) =>
    read(text)
      .flat()
      .flatMap(({ children }) => children ?? [])
      .filter(({ type }) => type === 'link_open')
      .map((link) => link.attrGet('href'));
  expect(hrefs('[a](https://e.org/x_(y)) https://e.org/p_(q). README.md')).toEqual([
    'https://e.org/x_(y)',
    'https://e.org/p_(q)',
  ]);
  expect(hrefs('[a]\n\n[a]: https://e.org')).toEqual(['https://e.org']);
  expect(hrefs('[a](javascript:alert(1))')).toEqual([]);
});

// proves: page.markdown-deep
test.each(['>', '- ', '* > '])('4,000 times %j in a line lose nothing that was written', (mark) => {
  const text = `Before\n\n${mark.repeat(4_000)} deep\n\nAfter`;
  const shown = textOf(read(text));
  expect([shown.includes('Before'), shown.includes(' deep'), shown.includes('After')]).toEqual([
    true,
    true,
    true,
  ]);
});
