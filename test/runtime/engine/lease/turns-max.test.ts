import { expect, test } from 'vitest';
import { Worker } from '../../../../runtime/engine/worker/worker.ts';
import { openDesk } from '../kit/harness.ts';

// proves: turns.admission
test('a worker that may work on one conversation at a time takes up the next when it is done', async () => {
  const replies = [{ hold: 'first', answer: 'One.' }, { answer: 'Two.' }];
  await using desk = await openDesk(replies, { turnsMax: 1 });
  const first = await desk.say('Hello', { conversation: 'conv_a' });
  await desk.model.held('first');
  const second = await desk.say('Hello', { conversation: 'conv_b' });
  expect(desk.worker.busy).toBe(1);
  expect(desk.model.requests).toHaveLength(1);
  desk.model.release('first');
  for (const { key } of [first, second]) {
    await desk.until((all) => all.some(({ type }) => type === 'turn.close'), key);
  }
  expect(desk.model.requests).toHaveLength(2);
});

// proves: turns.admission
test('a wake that comes while a sweep is under way takes no place of those it may fill', async () => {
  const replies = [
    { hold: 'first', answer: 'One.' },
    { hold: 'second', answer: 'Two.' },
  ];
  await using desk = await openDesk(replies, { turnsMax: 1 });
  await desk.pause();
  const first = await desk.say('Hello', { conversation: 'conv_a' });
  const second = await desk.say('Hello', { conversation: 'conv_b' });
  const { store, bus } = desk.engine;
  const sweep = store.sweep.bind(store);
  let hasSwept: () => void = () => undefined;
  const swept = new Promise<void>((resolve) => {
    hasSwept = resolve;
  });
  store.sweep = async (request) => {
    const leases = await sweep(request);
    bus.wake((leases[0]?.row.key === first.key ? second.key : first.key) ?? 0);
    // In the next turn of the loop the worker has begun with what it swept.
    setImmediate(hasSwept);
    return leases;
  };
  const { signal } = new AbortController();
  await using worker = new Worker({ ...desk.engine, worker: 'worker_next' }, { signal });
  await swept;
  expect(worker.busy).toBe(1);
  for (const hold of ['first', 'second']) {
    await desk.model.held(hold);
    expect(worker.busy).toBe(1);
    desk.model.release(hold);
  }
  for (const { key } of [first, second]) {
    await desk.until((all) => all.some(({ type }) => type === 'turn.close'), key);
  }
});
