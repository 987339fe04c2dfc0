import { expect, test } from 'vitest';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import { modelSilenceMsMax } from '../../../../runtime/engine/limits.ts';
import { manualClock } from '../../../../runtime/testing/index.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness } from '../kit/harness.ts';

const broken: Reply = {
  thinking: 'Let me see.',
  answer: 'It is',
  fault: { code: 'MODEL_OVERLOADED' },
};
const held = { thinking: 'Let me see.', hold: 'silent', answer: 'Too late.' };
const answer = { answer: 'It is 5.' };

/** Lets time pass until the turn has closed. */
async function played(script: readonly Reply[], { stepMs = 1_000, wallMs = 600_000 } = {}) {
  const clock = manualClock();
  const budgets = { rounds: 5, wallMs, actionsPerRound: 2 };
  await using harness = await openHarness(script, { clock, agent: { budgets } });
  await harness.say('2 + 3?');
  const end = new AbortController();
  const closed = harness.closed().finally(() => end.abort());
  while (!end.signal.aborted) await clock.advance(stepMs);
  const blocks = await closed;
  expect(verify(blocks)).toEqual([]);
  return { blocks, frames: await harness.frames(), end: dataOf(blocks.at(-1)) };
}

// proves: model.breaks
test('a reply that breaks off is reset, charged and retried', async () => {
  const { blocks, end } = await played([broken, answer]);
  expect(end).toMatchObject({ reason: 'completed', text: 'It is 5.' });
  const [first] = blocks.filter(({ type }) => type === 'round.close').map(dataOf);
  expect(first).toMatchObject({ outcome: 'interrupted', cause: 'model_broke_off' });
  const calls = blocks.filter(({ type }) => type === 'model.call').map(dataOf);
  expect(calls.map(({ finish }) => finish)).toEqual(['interrupted', 'stop']);
  // Nothing of it remains: the next reply repeats it.
  expect(blocks.filter(({ type }) => type === 'react.thinking')).toHaveLength(0);
  expect(blocks.filter(({ type }) => type === 'assistant.completion')).toHaveLength(1);
});

// proves: model.breaks
test('a reply that breaks off three times in a row fails the turn', async () => {
  const { blocks, end } = await played([broken, broken, broken]);
  expect(end).toMatchObject({ reason: 'failed', error: { code: 'MODEL_OVERLOADED' } });
  expect(blocks.filter(({ type }) => type === 'round.open')).toHaveLength(3);
});

// proves: model.silence
test('a model that falls silent in the middle of a reply has broken off', async () => {
  const { blocks, end } = await played([held, answer], { stepMs: modelSilenceMsMax / 4 });
  expect(end).toMatchObject({ reason: 'completed', text: 'It is 5.' });
  expect(dataOf(blocks.find(({ type }) => type === 'round.close'))).toMatchObject({
    cause: 'model_broke_off',
    error: { code: 'MODEL_UNREACHABLE' },
  });
});

// proves: model.wall
test('a model call ends with the time of its turn, and the turn finishes with the partial reply', async () => {
  const { blocks, end } = await played([held, answer], { wallMs: 20_000 });
  expect(end).toMatchObject({ reason: 'exhausted', text: 'It is 5.' });
  const [first, second] = blocks.filter(({ type }) => type === 'round.open');
  expect(dataOf(second)['phase']).toBe('finalize');
  const spentMs = Date.parse(second?.at ?? '') - Date.parse(first?.at ?? '');
  expect(spentMs).toBeLessThanOrEqual(22_000);
  expect(blocks.find(({ type }) => type === 'react.thinking')?.text).toBe('Let me see.');
});

function dataOf(block: Block | undefined) {
  return isJsonObject(block?.data) ? block.data : {};
}
