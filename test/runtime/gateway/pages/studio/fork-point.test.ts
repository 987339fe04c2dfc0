import { expect, test } from 'vitest';
import { forkPoint } from '../../../../../runtime/gateway/pages/studio/data/format.ts';
import type { Turn } from '../../../../../runtime/gateway/pages/studio/data/wire.ts';

const turn = (seq: number, answers: readonly number[], reason?: string): Turn => ({
  ...{ turn: `t${seq}`, name: 't1', seq, at: '', prompt: '', events: [], usage: {}, rounds: [] },
  answers: answers.map((block) => ({ block, text: 'Yes.' })),
  ...(reason !== undefined && { reason }),
});

test('a fork after the answer of a turn has its end too, so that it was not interrupted', () => {
  const log = { head: 40, turns: [turn(1, [22], 'completed'), turn(25, [38], 'completed')] };
  expect(forkPoint(log, 22)).toBe(24);
  expect(forkPoint(log, 23)).toBe(24);
  expect(forkPoint(log, 38)).toBe(40);
});

test('a fork in the middle of a turn is where it was asked for', () => {
  const log = { head: 40, turns: [turn(2, [10, 22], 'completed'), turn(25, [38])] };
  expect([1, 2, 10, 21, 25, 38, 40].map((at) => forkPoint(log, at))).toEqual([
    1, 2, 10, 21, 25, 38, 40,
  ]);
  expect(forkPoint({ head: 9, turns: [turn(1, [], 'failed')] }, 5)).toBe(5);
});
