import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import {
  type Flow,
  foldedFlow,
  markdownFlow,
  wordFlow,
} from '../../../../runtime/cli/terminal/flow.ts';
import { linesShown } from '../../../../runtime/cli/terminal/limits.ts';

const width = 30;
const sources = new Map([['https://a.example/s', 'The normals']]);
const page = () => ({ width, colour: false, links: new Map<string, number>(), sources });
const flows = {
  words: () => wordFlow(width),
  folded: () => foldedFlow(width),
  markdown: () => markdownFlow(page()),
};

const word = fc.stringMatching(/^[a-zé表]{1,20}$/);
const sentence = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
const document = fc
  .array(
    fc.oneof(
      sentence,
      sentence.map((text) => `## ${text}`),
      fc.array(sentence, { minLength: 1 }).map((items) => items.map((i) => `- ${i}`).join('\n')),
      sentence.map((text) => `\`\`\`\n${text}\n\`\`\``),
      sentence.map((text) => `> ${text} **bold** [site](https://a.example)`),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join('\n\n'));

function run(flow: Flow, pieces: readonly string[]): string {
  const shown = pieces.map((piece) => flow.add(piece));
  return `${shown.join('')}${flow.end()}`;
}

function cut(text: string, at: readonly number[]): readonly string[] {
  const ends = [...at.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

// proves: cli.layout
test.each(Object.entries(flows))(
  '%s are laid out the same in whatever pieces they come',
  (_, flow) => {
    fc.assert(
      fc.property(document, fc.array(fc.nat()), (text, at) => {
        expect(run(flow(), cut(text, at))).toBe(run(flow(), [text]));
      }),
    );
  },
);

// proves: cli.layout
test.each(Object.entries(flows))('no line of %s is wider than the terminal', (_, flow) => {
  fc.assert(
    fc.property(document, (text) => {
      const widest = Math.max(
        ...run(flow(), [text])
          .split('\n')
          .map((each) => stringWidth(each)),
      );
      expect(widest).toBeLessThanOrEqual(Math.max(width, 40));
    }),
  );
});

// proves: cli.layout
test('words are never cut, and none is lost', () => {
  fc.assert(
    fc.property(sentence, (text) => {
      expect(run(wordFlow(width), [text]).split(/\s+/)).toEqual(text.split(' '));
    }),
  );
});

// proves: cli.layout
test('a long program shows its first lines and the number of the others', () => {
  const program = Array.from({ length: 150 }, (_, line) => `print(${line})\n`).join('');
  const shown = run(foldedFlow(width), [program]).split('\n');
  expect(shown).toHaveLength(linesShown + 1);
  expect(shown[0]).toBe('print(0)');
  expect(shown.at(-1)).toBe(`… ${150 - linesShown} more lines`);
  expect(run(foldedFlow(width), ['one\ntwo\n'])).toBe('one\ntwo\n');
});

// proves: cli.citations
test('a citation is a number, and the titles of the sources stand below', () => {
  const cited = 'Wet [The normals](https://a.example/s), as [noted](https://a.example/n).\n';
  expect(run(markdownFlow(page()), [cited])).toBe(
    'Wet [1], as noted [2].\n\n[1] The normals: https://a.example/s\n[2] https://a.example/n',
  );
});

// proves: cli.layout
test('Markdown reads like a page: lists hang, tables line up, links have numbers', () => {
  const source = [
    '# Rain',
    '',
    'It **rained** most in [December](https://a.example/dec), see [notes](https://a.example/n) and',
    '[again](https://a.example/dec).',
    '',
    '- a long item that has to be broken over lines',
    '  1. inner',
    '- done',
    '',
    '| month | mm |',
    '|---|---|',
    '| Dec | 140 |',
    '',
    '```py',
    'x = 1',
    '```',
  ].join('\n');
  expect(run(markdownFlow(page()), [source])).toMatchInlineSnapshot(`
    "Rain

    It rained most in December
    [1], see notes [2] and again
    [1].

    • a long item that has to be
      broken over lines
      1. inner
    • done

    month  mm
    ─────  ───
    Dec    140

    │ x = 1

    [1] https://a.example/dec
    [2] https://a.example/n"
  `);
});
