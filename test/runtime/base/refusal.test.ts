import { expect, test } from 'vitest';
import { isRefusal, Refusal } from '../../../runtime/base/refusal.ts';

test('a refusal from another copy of the module is a Refusal, and no other error is', () => {
  const copy: unknown = Object.assign(new Error('not here'), {
    [Symbol.for('timeloom.refusal')]: true,
  });
  expect([isRefusal(copy), copy instanceof Refusal]).toEqual([true, true]);
  for (const other of [new Error('x'), undefined, null, 'x', {}]) {
    expect(other instanceof Refusal).toBe(false);
  }
});
