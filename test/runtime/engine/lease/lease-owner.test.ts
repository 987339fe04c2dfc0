import { expect, test } from 'vitest';
import { Worker } from '../../../../runtime/engine/worker/worker.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openDesk } from '../kit/harness.ts';

// proves: engine.one-owner
test('of two workers woken for the same conversation one works on it', async () => {
  await using desk = await openDesk([
    { thinking: 'Slowly', hold: 'busy', answer: 'Once.' },
    { answer: 'Twice?' },
  ]);
  const { signal } = new AbortController();
  await using _second = new Worker({ ...desk.engine, worker: 'worker_second' }, { signal });
  await desk.say('Hello');
  await desk.model.held('busy');
  desk.model.release('busy');
  const blocks = await desk.closed();
  expect(blocks.filter(({ type }) => type === 'assistant.completion')).toHaveLength(1);
  expect(desk.model.left).toBe(1);
  expect(verify(blocks)).toEqual([]);
});

test('an owner whose lease another has taken writes nothing more', async () => {
  await using desk = await openDesk([{ thinking: 'Slowly', hold: 'busy', answer: 'Too late.' }]);
  const { key = 0 } = await desk.say('Hello');
  await desk.model.held('busy');
  const before = await desk.blocks();
  const { store } = desk.engine;
  const { signal } = new AbortController();
  // Its row says that the lease is somebody else's, as after a pause longer than the lease.
  const released = await store.release(key, { fence: 1, signal });
  expect(released).toBeDefined();
  const lease = await store.acquire(key, { worker: 'thief', ttlMs: 60_000, signal });
  expect(lease?.fence).toBe(2);
  desk.model.release('busy');
  await desk.idle();
  expect(await desk.blocks()).toEqual(before);
});
