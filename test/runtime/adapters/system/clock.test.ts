import { expect, test } from 'vitest';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';

test('sleeping ends after its time', async () => {
  const before = systemClock.monotonic();
  await systemClock.sleep(20, { signal: new AbortController().signal });
  expect(systemClock.monotonic() - before).toBeGreaterThanOrEqual(19);
});

test("an aborted sleep rejects with the signal's reason, before and during it", async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const sleeping = systemClock.sleep(60_000, { signal: controller.signal });
  controller.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
  await expect(systemClock.sleep(1, { signal: controller.signal })).rejects.toBe(reason);
});

test('wall time is the time since the epoch', () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1_000);
});
