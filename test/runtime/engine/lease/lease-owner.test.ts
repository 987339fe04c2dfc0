import { expect, test } from 'vitest';
import { Worker } from '../../../../runtime/engine/worker/worker.ts';
import { toConversationKey } from '../../../../runtime/timeline/ids.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness } from '../kit/harness.ts';

// proves: engine.one-owner
test('of two workers woken for the same conversation only one works on it', async () => {
  await using harness = await openHarness([
    { thinking: 'Slowly', hold: 'busy', answer: 'Once.' },
    { answer: 'Twice?' },
  ]);
  const { signal } = new AbortController();
  await using _second = new Worker({ ...harness.engine, worker: 'worker_second' }, { signal });
  await harness.say('Hello');
  await harness.model.held('busy');
  harness.model.release('busy');
  const blocks = await harness.closed();
  expect(blocks.filter(({ type }) => type === 'assistant.completion')).toHaveLength(1);
  expect(harness.model.left).toBe(1);
  expect(verify(blocks)).toEqual([]);
});

test('an owner writes nothing after another worker has taken its lease', async () => {
  await using harness = await openHarness([
    { thinking: 'Slowly', hold: 'busy', answer: 'Too late.' },
  ]);
  const { key = toConversationKey(0) } = await harness.say('Hello');
  await harness.model.held('busy');
  const before = await harness.blocks();
  const { store } = harness.engine;
  const { signal } = new AbortController();
  // The row shows another lease holder, as after a pause longer than the lease.
  const released = await store.release(key, { fence: 1, signal });
  expect(released).toBeDefined();
  const lease = await store.acquire(key, { worker: 'thief', ttlMs: 60_000, signal });
  expect(lease?.fence).toBe(2);
  harness.model.release('busy');
  await harness.idle();
  expect(await harness.blocks()).toEqual(before);
});
