import { expect, test } from 'vitest';
import { Scope } from '../../../runtime/base/scope.ts';
import { takeSlot } from '../../../supervisor/cell/slots.ts';

test('programs that start at the same time have users of their own, and a user is free after its program', async () => {
  await using scope = new Scope();
  const slots = await Promise.all(Array.from({ length: 20 }, () => takeSlot()));
  const [first, ...others] = slots.toSorted((a, b) => a.uid - b.uid);
  for (const slot of others) scope.own(slot);
  expect(new Set(slots.map(({ uid }) => uid)).size).toBe(20);
  await first?.[Symbol.asyncDispose]();
  // Other workers of this machine may be faster, but not all of the time.
  await expect
    .poll(async () => {
      await using again = await takeSlot();
      return again.uid;
    })
    .toBe(first?.uid);
});
