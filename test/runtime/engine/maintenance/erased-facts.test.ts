import { expect, test } from 'vitest';
import { createStoredFacts } from '../../../../runtime/adapters/facts/stored-facts.ts';
import { openMemoryBlobStore } from '../../../../runtime/adapters/memory/blob-store.ts';
import { openMemoryBus } from '../../../../runtime/adapters/memory/bus.ts';
import { openMemoryTimelineStore } from '../../../../runtime/adapters/memory/timeline-store.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { erasureSettleMs } from '../../../../runtime/engine/limits.ts';
import { sweepErasures } from '../../../../runtime/engine/maintenance/erasure-sweep.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';
import { signal, started } from '../../../contract/timeline-store/kit.ts';

// proves: memory.erasure-facts
test('a worker forgets the facts of an erased conversation, also those that a slow recording added', async () => {
  const clock = manualClock();
  const store = openMemoryTimelineStore({ clock });
  const storage = createMemoryStorage(clock.now);
  const memory = createStoredFacts({ storage, clock, log: silentLog });
  const blobs = openMemoryBlobStore({ now: () => clock.now() });
  const parts = { store, blobs, storage, memory, bus: openMemoryBus(), clock, log: silentLog };
  const { sender, conversation } = await started(store);
  const owner = { ...sender, agent: 'desk/main' };
  const record = (fact: string, of: string) => {
    const content = { facts: [fact] };
    const recording = { owner, scope: 'agent', op: fact, conversation: of, content } as const;
    return memory.record(recording, { signal });
  };
  const kept = async () => (await memory.list(sender, { signal })).map(({ text }) => text);
  await record('The user keeps bees', conversation);
  await record('The user sings', 'conv_other');
  await store.erase(sender, conversation, { signal });
  await sweepErasures(parts, signal);
  expect(await kept()).toEqual(['The user sings']);
  await record('The user keeps wasps', conversation);
  await clock.advance(erasureSettleMs);
  await sweepErasures(parts, signal);
  expect(await kept()).toEqual(['The user sings']);
});
