import { expect, test } from 'vitest';
import { takeoversMax } from '../../../../runtime/engine/limits.ts';
import { Worker } from '../../../../runtime/engine/worker/worker.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness } from '../kit/harness.ts';

// proves: engine.hand-over
test('a worker that stops during a turn hands it over at once, and it does not count as a crash', async () => {
  const stops = takeoversMax + 2;
  const held = Array.from({ length: stops }, (_, index) => ({
    thinking: 'Slowly',
    hold: `stop ${index}`,
    answer: 'Too late.',
  }));
  await using harness = await openHarness([...held, { answer: 'Done.' }]);
  const { signal } = new AbortController();
  const workers: Worker[] = [];
  await harness.say('Hello');
  for (let stop = 0; stop < stops; stop += 1) {
    await harness.model.held(`stop ${stop}`);
    const last = workers.at(-1) ?? harness.worker;
    workers.push(new Worker({ ...harness.engine, worker: `worker_${stop}` }, { signal }));
    await last[Symbol.asyncDispose]();
  }
  const blocks = await harness.closed();
  await workers.at(-1)?.[Symbol.asyncDispose]();
  expect(verify(blocks)).toEqual([]);
  expect(blocks.findLast(({ type }) => type === 'turn.close')?.data).toMatchObject({
    reason: 'completed',
    text: 'Done.',
  });
  const ends = blocks.filter(({ type }) => type === 'round.close').map(({ data }) => data);
  expect(ends).toHaveLength(stops + 1);
  expect(ends[0]).toEqual({ round: 1, outcome: 'interrupted', cause: 'hand_over' });
});
