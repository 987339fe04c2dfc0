import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRefusal } from '../../../../runtime/base/refusal.ts';
import { toTurnId } from '../../../../runtime/timeline/ids.ts';
import { toTurnFilePath } from '../../../../runtime/tools/files/file-path.ts';

const turn = toTurnId('turn_0000000000000000000a');

function refused(path: string, bare?: 'outputs'): boolean {
  try {
    toTurnFilePath(path, { turn, ...(bare ? { bare } : {}) });
    return false;
  } catch (error) {
    return isRefusal(error) && error.code === 'path_refused';
  }
}

test('every spelling of a path in this turn gives the same path', () => {
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
test('a path may name this turn by its id or its short name, but not another turn', () => {
  const names = { turn, turnName: 't7' };
  for (const path of ['t7/outputs/a.csv', 'fi:t7.outputs/a.csv', `${turn}/outputs/a.csv`])
    expect(toTurnFilePath(path, names)).toBe('outputs/a.csv');
  for (const path of ['t6/outputs/a.csv', 'fi:t6.outputs/a.csv', 't6.user.attachments/a.csv'])
    expect(() => toTurnFilePath(path, { ...names, bare: 'outputs' })).toThrow(
      'is not a valid path',
    );
  expect(toTurnFilePath('t6/a.csv', { ...names, bare: 'outputs' })).toBe('outputs/t6/a.csv');
});

test('names of every language are names', () => {
  for (const name of ['größe.csv', '表.xlsx', 'تقرير.pdf', 'می‌خواهم.txt', '👩‍🔬.png'])
    expect(toTurnFilePath(`outputs/${name}`, { turn })).toBe(`outputs/${name}`);
});

// proves: exec.names
test('other paths are refused: absolute, with .., of other turns, attachments, directories, control characters', () => {
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
    // C1 controls, line separators, bidirectional controls, invisible tags, replacement characters.
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

test('every accepted path is below outputs or files', () => {
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
