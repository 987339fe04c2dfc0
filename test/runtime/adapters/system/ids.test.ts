import { expect, test } from 'vitest';
import { randomIds } from '../../../../runtime/adapters/system/ids.ts';

test('an id is its prefix and twenty characters, and never comes twice', () => {
  const ids = Array.from({ length: 10_000 }, () => randomIds.next('turn'));
  expect(ids.filter((id) => !/^turn_[0-9a-z]{20}$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});

test('ids of different milliseconds sort by time', async () => {
  const first = randomIds.next('conv');
  const made = Date.now();
  while (Date.now() === made) await new Promise((resolve) => setImmediate(resolve));
  expect(first < randomIds.next('conv')).toBe(true);
});
