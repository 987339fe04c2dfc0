import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRefusal } from '../../../../runtime/base/refusal.ts';
import { toTurnFilePath } from '../../../../runtime/tools/files/file-path.ts';

const turn = 'turn_0000000000000000000a';

function refused(path: string, bare?: 'outputs'): boolean {
  try {
    toTurnFilePath(path, { turn, ...(bare ? { bare } : {}) });
    return false;
  } catch (error) {
    return isRefusal(error) && error.code === 'path_refused';
  }
}

test('every spelling of a place in this turn is the same place', () => {
  for (const path of [
    'outputs/a/b.csv',
    './outputs/a/b.csv',
    `${turn}/outputs/a/b.csv`,
    `fi:${turn}.outputs/a/b.csv`,
    `conv:fi:${turn}.outputs/a/b.csv`,
  ]) {
    expect(toTurnFilePath(path, { turn })).toBe('outputs/a/b.csv');
  }
  expect(toTurnFilePath('b.csv', { turn, bare: 'outputs' })).toBe('outputs/b.csv');
});

// proves: paths.program-folders
test('a turn is named by its id or by its short name, and another turn by neither', () => {
  const names = { turn, turnName: 't7' };
  for (const path of ['t7/outputs/a.csv', 'fi:t7.outputs/a.csv', `${turn}/outputs/a.csv`])
    expect(toTurnFilePath(path, names)).toBe('outputs/a.csv');
  for (const path of ['t6/outputs/a.csv', 'fi:t6.outputs/a.csv', 't6.user.attachments/a.csv'])
    expect(() => toTurnFilePath(path, { ...names, bare: 'outputs' })).toThrow('is not a place');
  expect(toTurnFilePath('t6/a.csv', { ...names, bare: 'outputs' })).toBe('outputs/t6/a.csv');
});

test('names of every language are names', () => {
  for (const name of ['größe.csv', '表.xlsx', 'تقرير.pdf', 'می‌خواهم.txt', '👩‍🔬.png'])
    expect(toTurnFilePath(`outputs/${name}`, { turn })).toBe(`outputs/${name}`);
});

// proves: exec.names
test('anything else is refused: absolute, climbing, somebody else’s, attachments, directories, controls', () => {
  const bad = [
    '/etc/passwd',
    'outputs/../x',
    '../x',
    'outputs/',
    'outputs',
    'outputs//x',
    'attachments/x',
    '',
    '.',
    'a\\b',
    'a\nb',
    'outputs/\ud800',
    // Controls above the first, line ends, reversed text, unseen letters, bytes that were no text.
    ...['\u0085', '\u009b31m', '\u2028', '\u202egnp', '\u2066', '\u{e0041}', '\ufffd'].map(
      (part) => `outputs/a${part}.txt`,
    ),
    'fi:turn_9.outputs/x',
    'turn_9/outputs/x',
    'ar:turn_9.user.prompt',
    'sk:a.b',
    'x'.repeat(500),
  ];
  for (const path of bad) expect([path, refused(path, 'outputs')]).toEqual([path, true]);
  expect(refused('b.csv')).toBe(true);
});

test('whatever is accepted stays beneath outputs or files', () => {
  const part = fc.constantFrom('..', '.', '', 'a', 'outputs', 'files', '/', turn, 'fi:', 'x.csv');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const path = parts.join('/');
      if (refused(path, 'outputs')) return true;
      const placed = toTurnFilePath(path, { turn, bare: 'outputs' });
      return (
        /^(outputs|files)\//.test(placed) &&
        !placed.split('/').some((step) => ['', '.', '..'].includes(step))
      );
    }),
  );
});
