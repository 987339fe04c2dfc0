import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitText } from '../../../../runtime/gateway/surfaces/split-text.ts';
import { runs } from '../../../tools/runs.ts';

const max = 200;
const line = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 500 }),
  fc.constantFrom('```js', '```', '~~~', '', '> quoted', '- item'),
);
const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n'));

// proves: surface.long-text
test('no part of a long text exceeds the limit, and nothing of it is lost', () => {
  fc.assert(
    fc.property(text, (whole) => {
      const parts = splitText(whole, max);
      expect(parts.every((part) => part.length <= max)).toBe(true);
      const bare = (each: string) => each.replaceAll(/[\s`~]/g, '');
      const joined = bare(parts.join(''));
      let at = 0;
      for (const letter of bare(whole)) {
        at = joined.indexOf(letter, at);
        expect(at).toBeGreaterThanOrEqual(0);
        at += letter.length;
      }
    }),
    runs(200),
  );
});

test('a code block that is divided is closed and opened again', () => {
  const code = ['```py', ...Array.from({ length: 30 }, (_, n) => `print(${n})`), '```'].join('\n');
  const parts = splitText(code, max);
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) {
    expect(part.startsWith('```py\n')).toBe(true);
    expect(part.endsWith('\n```')).toBe(true);
  }
});

test('a short text stays as it is', () => {
  expect(splitText('one\n\ntwo', max)).toEqual(['one\n\ntwo']);
  expect(splitText('  \n', max)).toEqual([]);
});
