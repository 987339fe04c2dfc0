import { expect, test } from 'vitest';
import { z } from 'zod';
import { openMemoryBlobStore } from '../../../../runtime/adapters/memory/blob-store.ts';
import { openMemoryBus } from '../../../../runtime/adapters/memory/bus.ts';
import { openMemoryTimelineStore } from '../../../../runtime/adapters/memory/timeline-store.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import {
  blobAgainMs,
  blobGraceMs,
  erasureClaimMs,
  erasureSettleMs,
  erasuresPollMs,
} from '../../../../runtime/engine/limits.ts';
import {
  openErasureSweep,
  sweepErasures,
} from '../../../../runtime/engine/maintenance/erasure-sweep.ts';
import type { Bus } from '../../../../runtime/engine/ports/bus.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';
import { toConversationKey, toSeq } from '../../../../runtime/timeline/ids.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { framed } from '../../../contract/bus.ts';
import { append, log, signal, started, thought } from '../../../contract/timeline-store/kit.ts';
import { openHarness } from '../kit/harness.ts';

const bytes = new TextEncoder().encode('a file');

/** A conversation that names a blob and has frames, with a clock that the test controls. */
async function open() {
  const clock = manualClock();
  const store = openMemoryTimelineStore({ clock });
  const bus = openMemoryBus();
  const blobs = openMemoryBlobStore({ now: () => clock.now() });
  const storage = createMemoryStorage(clock.now);
  const parts = { store, bus, blobs, storage, clock, log: silentLog };
  const { sender, conversation, key, lease } = await started(store);
  const blob = await blobs.put(sender.tenant, bytes, { signal });
  const named = append(lease, { blocks: [{ ...thought(lease), blob }] });
  await store.append(key, named, { signal });
  bus.publish(key, [framed()]);
  const erase = () => store.erase(sender, conversation, { signal });
  const put = () => blobs.put(sender.tenant, bytes, { signal });
  const kept = () =>
    blobs.get(sender.tenant, blob.hash, { signal }).then(
      () => true,
      () => false,
    );
  const frames = async () => (await bus.frames(key, toSeq(0), { signal })).length;
  return { ...parts, parts, key, erase, put, kept, frames };
}

// proves: erase.outbox
test('frames are removed at once, and again when no worker can publish any more; bytes when they are old enough', async () => {
  const { parts, clock, bus, key, erase, kept, frames } = await open();
  await erase();
  await using _sweep = openErasureSweep(parts, { signal });
  await clock.advance(erasuresPollMs);
  expect(await frames()).toBe(0);
  bus.publish(key, [framed()]);
  await clock.advance(erasureSettleMs);
  expect(await frames()).toBe(0);
  expect(await kept()).toBe(true);
  await clock.advance(blobGraceMs + blobAgainMs);
  expect(await kept()).toBe(false);
  bus.publish(key, [framed()]);
  await clock.advance(erasureClaimMs);
  expect(await frames()).toBe(1);
});

test('bytes that were stored again since are kept', async () => {
  const { parts, clock, erase, put, kept } = await open();
  await clock.advance(2 * blobGraceMs);
  await put();
  await erase();
  await sweepErasures(parts, signal);
  expect(await kept()).toBe(true);
});

test('an unreachable item is retried and does not block the others', async () => {
  const { parts, clock, erase, frames } = await open();
  const other = await started(parts.store);
  await erase();
  let isAway = true;
  const bus: Bus = {
    wake: () => undefined,
    steer: () => undefined,
    announce: () => undefined,
    touch: () => undefined,
    onTouch: (owner, listener) => parts.bus.onTouch(owner, listener),
    onWake: (listener) => parts.bus.onWake(listener),
    onSteer: (key, listener) => parts.bus.onSteer(key, listener),
    subscribe: (key, listener) => parts.bus.subscribe(key, listener),
    publish: (key, notes) => parts.bus.publish(key, notes),
    frames: (key, from, waits) => parts.bus.frames(key, from, waits),
    forget: async (key, waits) => !isAway && (await parts.bus.forget(key, waits)),
    flush: (waits) => parts.bus.flush(waits),
  };
  await sweepErasures({ ...parts, bus }, signal);
  expect(await frames()).toBe(1);
  await parts.store.erase(other.sender, other.conversation, { signal });
  isAway = false;
  await sweepErasures({ ...parts, bus }, signal);
  expect(await log(parts.store, other.key)).toEqual([]);
  await clock.advance(erasureClaimMs);
  await sweepErasures({ ...parts, bus }, signal);
  expect(await frames()).toBe(0);
});

// proves: erase.stops
test('a running tool of an erased conversation is stopped at once, and nothing is started after it', async () => {
  let begun = () => {};
  const running = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const reasons: unknown[] = [];
  const wait = createTool({
    id: 'test.wait',
    description: 'Waits until it is stopped.',
    kind: 'bundle',
    traits: ['exploitation'],
    input: z.object({}),
    run: async (_, ctx) => {
      begun();
      await new Promise<void>((resolve) => {
        ctx.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      reasons.push(ctx.signal.reason);
      return { result: { ok: true, ret: 'late' } };
    },
  });
  await using harness = await openHarness(
    [{ call: { tool: 'test.wait', input: {} } }, { answer: 'No.' }],
    {
      tools: [wait],
    },
  );
  const { key = toConversationKey(0), conversation } = await harness.say('Go');
  await running;
  const sender = { tenant: 'dev', project: 'dev', user: 'ann' };
  await harness.engine.store.erase(sender, conversation, { signal });
  harness.engine.bus.publish(key, [{ kind: 'erased' }]);
  await harness.idle();
  expect(reasons).toHaveLength(1);
  expect(harness.model.requests).toHaveLength(1);
  expect(await harness.blocks()).toEqual([]);
});
