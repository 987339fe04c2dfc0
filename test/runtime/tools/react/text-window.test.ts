import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  takeWindow,
  type WindowRequest,
} from '../../../../runtime/tools/react/read/text-window.ts';
import { runs } from '../../../tools/runs.ts';

const roomy = { chars: 48_000, tokens: 12_000, numbers: 'disabled' as const };

// proves: tools.read
test('following `next` shows every character exactly once, for any limits', () => {
  const text = fc
    .array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 30 })
    .map((all) => all.join('\n'));
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 4, max: 80 }),
      fc.integer({ min: 5, max: 60 }),
      (whole, chars, tokens) => {
        let seen = '';
        let request: WindowRequest | undefined = {};
        for (let step = 0; request && step < 2000; step += 1) {
          const window = takeWindow(whole, request, { chars, tokens, numbers: 'disabled' });
          expect(window.start).toBe(seen.length);
          expect(window.text.isWellFormed()).toBe(true);
          seen += window.text;
          request = window.next;
        }
        expect(seen).toBe(whole);
      },
    ),
    runs(60),
  );
});

test('lines are 1-based', () => {
  const window = takeWindow(
    'a\nb\nc\nd\n',
    { line_start: 2, line_count: 2 },
    { ...roomy, numbers: 'lines' },
  );
  expect(window).toMatchObject({
    text: '     2\tb\n     3\tc\n',
    from: 2,
    to: 3,
    lines: 4,
    next: { line_start: 4 },
  });
  expect(takeWindow('a\nb', { line_start: 9 }, roomy)).toMatchObject({ text: '', lines: 2 });
  expect(takeWindow('', {}, roomy)).toMatchObject({ text: '', lines: 0, clipped: false });
});

test('sparse numbers mark the first two, middle two and last two lines', () => {
  const text = Array.from({ length: 10 }, (_, index) => `l${index + 1}`).join('\n');
  const shown = takeWindow(text, {}, { ...roomy, numbers: 'sparsed' }).text.split('\n');
  expect(shown.map((line) => line.includes('\t'))).toEqual([
    true,
    true,
    false,
    false,
    true,
    true,
    false,
    false,
    true,
    true,
  ]);
});

test('reading on names the lines that are left of the requested ones', () => {
  const text = 'aaaa\nbbbb\ncccc\ndddd\neeee\n';
  const some = takeWindow(text, { line_start: 2, line_count: 3 }, { ...roomy, chars: 12 });
  expect(some).toMatchObject({ text: 'bbbb\ncccc\n', next: { line_start: 4, line_count: 1 } });
  const rest = takeWindow(text, some.next ?? {}, roomy);
  expect(rest).toMatchObject({ text: 'dddd\n', clipped: false, hasAllLines: true });
});

test('limits clip at the end of a line, or inside a line that exceeds the limits', () => {
  expect(takeWindow('aaaa\nbbbb\ncccc', {}, { ...roomy, chars: 12 })).toMatchObject({
    text: 'aaaa\nbbbb\n',
    clipped: true,
    next: { line_start: 3 },
  });
  const long = takeWindow('x'.repeat(100), {}, { ...roomy, chars: 10 });
  expect(long).toMatchObject({ clipped: true, next: { offset_text_symbols: long.end } });
});
