import { expect, test } from 'vitest';
import { openDesk } from './desk.ts';

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
