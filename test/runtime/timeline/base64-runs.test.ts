import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutEncodedRuns } from '../../../runtime/timeline/base64-runs.ts';

// proves: timeline.no-encoded-bytes

test('encoded bytes are left out, in one run or in wrapped lines, in any context', () => {
  const bare = 'QUJD'.repeat(600);
  expect(withoutEncodedRuns(`a ${bare} b`)).toBe('a (2400 characters of encoded data) b');
  expect(withoutEncodedRuns(`a ${bare.slice(0, 2047)} b`)).toContain('QUJD');
  for (const end of ['\n', '\r\n']) {
    const lines = `${'QUJD'.repeat(19)}${end}`.repeat(40);
    expect(withoutEncodedRuns(lines)).toMatch(/^\(\d+ characters of encoded data\)$/);
    const json = withoutEncodedRuns(JSON.stringify({ lines }));
    expect(json).toMatch(/^\{"lines":"\(\d+ characters of encoded data\)"\}$/);
  }
  const short = `${'QUJD'.repeat(19)}\n`.repeat(20);
  expect(withoutEncodedRuns(`${short}${'plain words '.repeat(100)}`)).toContain('QUJD');
});

test('text after the last line of encoded bytes is kept', () => {
  const lines = `${'QUJD'.repeat(19)}\n`.repeat(40);
  const [after, end] = ['Done: all rows are there.', 'QUJDQQ=='];
  expect(withoutEncodedRuns(lines + after)).toBe(
    `(${lines.length} characters of encoded data)${after}`,
  );
  expect(withoutEncodedRuns(`${lines}${end}\n${after}`)).toBe(
    `(${lines.length + end.length} characters of encoded data)\n${after}`,
  );
});

test('ordinary text is unchanged, and the operation is idempotent', () => {
  const piece = fc.constantFrom(' plain words, ', 'QUJD'.repeat(300), '\n', '=', ' ', 'x-y_z ');
  const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (any) => {
      const once = withoutEncodedRuns(any);
      expect(withoutEncodedRuns(once)).toBe(once);
      expect(once.split('plain').length).toBe(any.split('plain').length);
    }),
  );
});

test('runs that are almost long enough take linear time', () => {
  const almost = `${'A'.repeat(2_000)} `.repeat(500);
  const started = process.cpuUsage().user;
  expect(withoutEncodedRuns(almost)).toBe(almost);
  expect(process.cpuUsage().user - started).toBeLessThan(500_000);
});

test('the result equals that of a regular expression', () => {
  const piece = fc.constantFrom(
    ...[
      'QUJD'.repeat(200),
      'QUJD'.repeat(15),
      'QUJD'.repeat(14),
      '\\n',
      '\\r\\n',
      '\r\n',
      '\n',
      '==',
      ' ',
      '_',
    ],
  );
  const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (any) => {
      expect(withoutEncodedRuns(any)).toBe(byPattern(any));
    }),
  );
});

function byPattern(text: string): string {
  const bare = /(?<![\w+/-])[\w+/-]{2048,}={0,2}/g;
  const lines =
    /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,}(?:\r?\n|(?:\\r)?\\n)){2,}(?:[A-Za-z0-9+/]{60,}={0,2}|[A-Za-z0-9+/]*={1,2})?/g;
  const elision = (run: string) => `(${run.length} characters of encoded data)`;
  return text
    .replaceAll(bare, elision)
    .replaceAll(lines, (run) => (run.length >= 2_048 ? elision(run) : run));
}

test('a run of many millions of characters is left out too', () => {
  const bare = 'x'.repeat(8_000_000);
  expect(withoutEncodedRuns(`a ${bare} b`)).toBe('a (8000000 characters of encoded data) b');
});
