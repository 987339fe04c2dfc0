import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyDiff } from '../../../../runtime/tools/react/write/apply-diff.ts';
import { containing } from '../../../tools/matchers.ts';

type Row = { readonly kind: string; readonly text: string };

/** A diff as `diff -U<context>` would write it, with its counts spoiled by `lie`. */
function diff(a: string, b: string, { context = 3, lie = 0 } = {}): string {
  const rows = script(toLines(a), toLines(b));
  const near = rows.map((_, index) =>
    rows.slice(Math.max(0, index - context), index + context + 1).some(({ kind }) => kind !== ' '),
  );
  const hunks = rows.flatMap((_, index) => (near[index] && !near[index - 1] ? [index] : []));
  const texts = hunks.map((from) => {
    const to = near.indexOf(false, from);
    const body = rows.slice(from, to < 0 ? undefined : to);
    const before = rows.slice(0, from).filter(({ kind }) => kind !== '+').length;
    const at = body.every(({ kind }) => kind === '+') ? before : before + 1;
    return [
      `@@ -${at},${7 + lie} +1,${9 + lie} @@`,
      ...body.map(({ kind, text }) => kind + text),
    ].join('\n');
  });
  return `--- a\n+++ b\n${texts.join('\n')}\n`;
}

function toLines(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function script(a: readonly string[], b: readonly string[]): readonly Row[] {
  const [x, ...as] = a;
  const [y, ...bs] = b;
  if (x === undefined) return b.map((text) => ({ kind: '+', text }));
  if (y === undefined) return a.map((text) => ({ kind: '-', text }));
  if (x === y) return [{ kind: ' ', text: x }, ...script(as, bs)];
  if (bs.includes(x)) return [{ kind: '+', text: y }, ...script(a, bs)];
  return [{ kind: '-', text: x }, ...script(as, b)];
}

const lines = fc
  .array(fc.constantFrom('', 'one', 'two', '  three', '- four', '+ five', '@ six'), {
    maxLength: 20,
  })
  .map((all) => all.map((line) => `${line}\n`).join(''));

// proves: tools.write-patch
test('a diff applied to the old text gives the new text, whatever its counts say', () => {
  fc.assert(
    fc.property(
      lines,
      lines,
      fc.record({ context: fc.integer({ min: 0, max: 4 }), lie: fc.integer({ min: -3, max: 3 }) }),
      (a, b, how) => {
        fc.pre(a !== b);
        expect(applyDiff(a, diff(a, b, how))).toMatchObject({ ok: true, text: b });
      },
    ),
  );
});

test('a patch reports the lines it added and the lines after which it removed some', () => {
  fc.assert(
    fc.property(lines, lines, fc.integer({ min: 0, max: 4 }), (a, b, context) => {
      fc.pre(a !== b);
      const patch = diff(a, b, { context });
      const made = applyDiff(a, patch);
      const now = toLines(b);
      const at = made.ok ? made.ranges : [];
      const added = [...patch.matchAll(/^\+(?!\+\+ b$)(.*)$/gm)].map(([, text]) => text);
      expect(at.flatMap(({ after, count }) => now.slice(after, after + count))).toEqual(added);
    }),
  );
  const twice = '@@ -1,2 +1,4 @@\n one\n+\n+two\n \n@@ -4 +6,0 @@\n-four\n';
  expect(applyDiff('one\n\nthree\nfour\n', twice)).toMatchObject({
    text: 'one\n\ntwo\n\nthree\n',
    ranges: [
      { after: 1, count: 2 },
      { after: 5, count: 0 },
    ],
  });
});

test('a hunk is applied at the nearest match, even if its line number is wrong', () => {
  const old = 'a\nx\nb\nc\nd\ne\nf\nx\ng\n';
  const patch = '@@ -8,1 +8,1 @@\n-x\n+y\n';
  expect(applyDiff(old, patch)).toMatchObject({ text: 'a\nx\nb\nc\nd\ne\nf\ny\ng\n' });
  expect(applyDiff(old, patch.replace('-8,1', '-3,1'))).toMatchObject({
    text: 'a\ny\nb\nc\nd\ne\nf\nx\ng\n',
  });
});

test('whitespace at line ends and carriage returns are ignored when matching', () => {
  const old = 'a  \r\nb\r\nc\r\n';
  expect(applyDiff(old, '@@ -1 +1 @@\n a\n-b\n+B\n c\n')).toMatchObject({
    text: 'a  \r\nB\r\nc\r\n',
  });
});

test('the newline at the end of the file changes only with its marker', () => {
  const marker = '\\ No newline at end of file';
  expect(applyDiff('a\nb', `@@ -1 +1 @@\n a\n-b\n${marker}\n+b\n`)).toMatchObject({
    text: 'a\nb\n',
  });
  expect(applyDiff('a\nb\n', `@@ -1 +1 @@\n a\n-b\n+b\n${marker}\n`)).toMatchObject({
    text: 'a\nb',
  });
  expect(applyDiff('a\nb', '@@ -1 +1 @@\n-a\n+A\n')).toMatchObject({ text: 'A\nb' });
});

test('a hunk that matches nowhere changes nothing, and the error says where to look', () => {
  const result = applyDiff(
    'one\ntwo\nthree\n',
    '@@ -1 +1 @@\n-one\n+1\n@@ -2 +2 @@\n three\n-four\n+4\n',
  );
  expect(result).toMatchObject({ ok: false, code: 'hunk_mismatch', line: 3 });
  expect(!result.ok && result.message).toContain('Hunk 2');
});

// proves: tools.write-patch
test('the error of a hunk that does not match quotes the lines that are there', () => {
  const cut = applyDiff('year,1,2,3\n2012,4,5,6\n', '@@ -1 +1 @@\n-year,1\n+jahr,1\n');
  expect(cut).toMatchObject({
    message:
      'Hunk 1 (@@ -1) does not match; nothing was changed. Expected in a row: "year,1". There is: "year,1,2,3".',
  });
  const text = 'a\nb\nc\nd\n';
  const around = applyDiff(text, '@@ -1 +1 @@\n c\n-D\n+e\n');
  expect(!around.ok && around.message).toContain('There is: "c", "d".');
  const beyond = applyDiff(text, '@@ -9 +9 @@\n-x\n+y\n');
  expect(!beyond.ok && beyond.message).not.toContain('There is');
});

test('a patch without changes, or of several files, is refused as malformed', () => {
  expect(applyDiff('a\n', '@@ -1 +1 @@\n a\n')).toMatchObject({ code: 'patch_malformed' });
  const two = '--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n--- c\n+++ c\n@@ -1 +1 @@\n-a\n+b\n';
  const refused = applyDiff('a\n', two);
  expect(refused).toMatchObject({ code: 'patch_malformed' });
  expect(!refused.ok && refused.message).toContain('several');
});

test('the error for a whole text that begins like a diff names the tool that can write it', () => {
  const refused = applyDiff('a\n', '---\ntitle: Notes\n---\n# Notes\n');
  expect(refused).toMatchObject({ code: 'patch_malformed', message: containing('react.write') });
});

test('a hunk that matches nowhere in a long file of equal lines is refused quickly', () => {
  const file = 'a\n'.repeat(300_000);
  const started = process.cpuUsage().user;
  const lost = applyDiff(file, `@@ -1 +1 @@\n${' a\n'.repeat(300)}-b\n+c\n`);
  expect(lost).toMatchObject({ ok: false, code: 'patch_too_costly' });
  expect(lost).toMatchObject({ message: containing('react.write') });
  expect(process.cpuUsage().user - started).toBeLessThan(3_000_000);
});

test('many hunks over a long file are applied in one pass', () => {
  const file = Array.from({ length: 100_000 }, (_, n) => `line ${n}\n`);
  const hunks = Array.from(
    { length: 5_000 },
    (_, n) => `@@ -${n * 20 + 3},1 +1,2 @@\n-line ${n * 20 + 2}\n+new ${n}\n+more\n`,
  );
  const started = process.cpuUsage().user;
  const patched = applyDiff(file.join(''), hunks.join(''));
  expect(process.cpuUsage().user - started).toBeLessThan(3_000_000);
  const wanted = file.map((line, n) => (n % 20 === 2 ? `new ${(n - 2) / 20}\nmore\n` : line));
  expect(patched).toMatchObject({ ok: true, text: wanted.join('') });
});
