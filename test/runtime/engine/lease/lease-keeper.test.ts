import { expect, test } from 'vitest';
import { openMemoryTimelineStore } from '../../../../runtime/adapters/memory/timeline-store.ts';
import { isFault } from '../../../../runtime/base/fault.ts';
import { Cancelled } from '../../../../runtime/base/signal.ts';
import { LeaseKeeper } from '../../../../runtime/engine/lease/lease-keeper.ts';
import { leaseMarginMs } from '../../../../runtime/engine/limits.ts';
import { manualClock } from '../../../../runtime/testing/index.ts';
import { started } from '../../../contract/timeline-store/kit.ts';

// proves: i2.no-late-effects
test('an owner that slept through its lease starts nothing more, even before it is notified', async () => {
  const clock = manualClock();
  await using store = openMemoryTimelineStore({ clock });
  const { lease } = await started(store);
  const { signal } = new AbortController();
  // The heartbeat is frozen with its process: nothing is renewed.
  const frozen = {
    ...clock,
    sleep: (_: number, { signal: stop }: { signal: AbortSignal }) => aborted(stop),
  };
  await using held = new LeaseKeeper(
    { store, clock: frozen },
    { lease, since: clock.monotonic(), signal },
  );
  await clock.advance(lease.ttlMs - leaseMarginMs - 1);
  expect(() => held.assertAlive()).not.toThrow();
  await clock.advance(1);
  const lost = caught(() => held.assertAlive());
  expect(isFault(lost) && lost.code).toBe('LEASE_LOST');
  const why: unknown = held.signal.reason;
  expect(why instanceof Cancelled && why.why).toBe('lease_lost');
});

// proves: claim.hangs
test('an owner whose renewals hang stops its work before the lease ends', async () => {
  const clock = manualClock();
  await using store = openMemoryTimelineStore({ clock });
  const { lease } = await started(store);
  const { signal } = new AbortController();
  const silent = openMemoryTimelineStore({ clock });
  silent.renew = () => new Promise(() => undefined);
  await using held = new LeaseKeeper(
    { store: silent, clock },
    { lease, since: clock.monotonic(), signal },
  );
  await clock.advance(lease.ttlMs - leaseMarginMs - 1);
  expect(held.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(held.signal.reason).toMatchObject({ why: 'lease_lost' });
});

// proves: claim.hangs
test('a hanging renewal is cancelled and retried, and the lease continues', async () => {
  const clock = manualClock();
  await using store = openMemoryTimelineStore({ clock });
  const { lease } = await started(store);
  const { signal } = new AbortController();
  const renew = store.renew.bind(store);
  let asked = 0;
  store.renew = (...given) => {
    asked += 1;
    return asked === 1 ? new Promise(() => undefined) : renew(...given);
  };
  await using held = new LeaseKeeper({ store, clock }, { lease, since: clock.monotonic(), signal });
  await clock.advance(3 * lease.ttlMs);
  expect(held.signal.aborted).toBe(false);
  expect(() => held.assertAlive()).not.toThrow();
});

function caught(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
