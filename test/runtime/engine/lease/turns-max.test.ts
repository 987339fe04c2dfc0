import { expect, test } from 'vitest';
import { Worker } from '../../../../runtime/engine/worker/worker.ts';
import { toConversationKey } from '../../../../runtime/timeline/ids.ts';
import { openHarness } from '../kit/harness.ts';

// proves: turns.admission
test('a worker limited to one conversation starts the next one when it is done', async () => {
  const replies = [{ hold: 'first', answer: 'One.' }, { answer: 'Two.' }];
  await using harness = await openHarness(replies, { turnsMax: 1 });
  const first = await harness.say('Hello', { conversation: 'conv_a' });
  await harness.model.held('first');
  const second = await harness.say('Hello', { conversation: 'conv_b' });
  expect(harness.worker.busy).toBe(1);
  expect(harness.model.requests).toHaveLength(1);
  harness.model.release('first');
  for (const { key } of [first, second]) {
    await harness.until((all) => all.some(({ type }) => type === 'turn.close'), key);
  }
  expect(harness.model.requests).toHaveLength(2);
});

// proves: turns.admission
test('a wake during a sweep does not take slots that are reserved for the sweep', async () => {
  const replies = [
    { hold: 'first', answer: 'One.' },
    { hold: 'second', answer: 'Two.' },
  ];
  await using harness = await openHarness(replies, { turnsMax: 1 });
  await harness.pause();
  const first = await harness.say('Hello', { conversation: 'conv_a' });
  const second = await harness.say('Hello', { conversation: 'conv_b' });
  const { store, bus } = harness.engine;
  const sweep = store.sweep.bind(store);
  let hasSwept: () => void = () => undefined;
  const swept = new Promise<void>((resolve) => {
    hasSwept = resolve;
  });
  store.sweep = async (request) => {
    const leases = await sweep(request);
    bus.wake(toConversationKey((leases[0]?.row.key === first.key ? second.key : first.key) ?? 0));
    // In the next iteration of the event loop the worker has started the swept conversations.
    setImmediate(hasSwept);
    return leases;
  };
  const { signal } = new AbortController();
  await using worker = new Worker({ ...harness.engine, worker: 'worker_next' }, { signal });
  await swept;
  expect(worker.busy).toBe(1);
  for (const hold of ['first', 'second']) {
    await harness.model.held(hold);
    expect(worker.busy).toBe(1);
    harness.model.release(hold);
  }
  for (const { key } of [first, second]) {
    await harness.until((all) => all.some(({ type }) => type === 'turn.close'), key);
  }
});
