import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../runtime/base/json.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { plan } from '../../../../runtime/engine/plan/plan.ts';
import { Worker } from '../../../../runtime/engine/worker/worker.ts';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toCallId, toConversationKey, toSeq, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness, outline } from '../kit/harness.ts';

test('two simultaneous stops end one turn and open no other', async () => {
  await using harness = await openHarness([{ thinking: 'A long plan', hold: 'planning' }]);
  await harness.say('Review the whole year');
  await harness.model.held('planning');
  await Promise.all([harness.say('', { kind: 'steer' }), harness.say('', { kind: 'steer' })]);
  await harness.closed();
  await harness.idle();
  const blocks = await harness.blocks();
  expect(outline(blocks, 'turn.')).toEqual(['turn.open', 'turn.close']);
  expect(verify(blocks)).toEqual([]);
});

test('a prompt that arrives before the owner opens a turn opens it', async () => {
  await using harness = await openHarness([{ answer: 'Both.' }]);
  await harness.pause();
  await harness.say('Review the whole year');
  await harness.say('', { kind: 'steer' });
  const { key = toConversationKey(0) } = await harness.say('Or the last month', {
    kind: 'followup',
  });
  const { store } = harness.engine;
  const append = store.append.bind(store);
  store.append = async (key, request, waits) => {
    if (request.blocks.some(({ type }) => type === 'turn.open')) await harness.say('Or last week');
    return append(key, request, waits);
  };
  const errors: string[] = [];
  const log = { ...silentLog, error: (text: string) => errors.push(text) };
  const engine = { ...harness.engine, log, worker: 'worker_next' };
  await using _worker = new Worker(engine, { signal: new AbortController().signal });
  harness.engine.bus.wake(key);
  const blocks = await harness.closed(2);
  expect(outline(blocks, 'turn.')).toEqual(['turn.open', 'turn.close', 'turn.open', 'turn.close']);
  expect(errors).toEqual([]);
});

test('a turn whose owners keep dying is abandoned, also while a tool runs', () => {
  const lost = [1, 2, 3, 4].flatMap((round) => [opened(round), closed(round)]);
  expect(next(lost.slice(0, 6), 0)).toMatchObject({ do: 'ask' });
  expect(next(lost, 0)).toMatchObject(givenUp);
  const inTool = [opened(1), draft('model.call', { actions: [action] }), asked];
  expect(next(inTool, 3)).toMatchObject({ do: 'run_calls', repeated: true });
  expect(next(inTool, 4)).toMatchObject(givenUp);
});

const givenUp = { do: 'close_turn', reason: 'failed', error: { code: 'TURN_ABANDONED' } };
const turn = toTurnId(`turn_${'0'.repeat(20)}`);
const action: JsonObject = {
  kind: 'call_tool',
  call: toCallId('tc_1'),
  tool: 'sim.read',
  input: {},
  notes: '',
};
const asked = {
  ...draft('react.tool.call', { tool: 'sim.read', input: {}, key: 'tc_1', effects: 'none' }),
  call: toCallId('tc_1'),
};

function next(work: readonly Draft[], takeovers: number) {
  const prompt = { ...draft('user.prompt', {}), author: 'user', text: 'Hello' } as const;
  const blocks = [draft('turn.open', {}), prompt, ...work].map((each, index) => ({
    ...each,
    conversation: 'conv_test',
    seq: toSeq(index + 1),
    meta: {},
    at: '2026-01-01T00:00:00.000Z',
  }));
  const inputs = { unanswered: true, takeovers, roundsMax: 15, wallMs: 60_000, now: 0 };
  const policies = { exhausted: 'finalize', onFailure: () => 'continue' as const } as const;
  return plan(foldAll(emptyView, blocks), { ...inputs, ...policies });
}

function opened(round: number): Draft {
  const hashes = { system: '', announce: '', policy: '' };
  const data = {
    round,
    as_of: 2,
    now: '2026-01-01T00:00:00.000Z',
    phase: 'decision',
    renderer: '1',
  };
  return draft('round.open', { ...data, hashes, landed: [] });
}

function closed(round: number): Draft {
  return draft('round.close', { round, outcome: 'interrupted' });
}

function draft(type: string, data: JsonObject): Draft {
  return { type, turn, author: 'system', data };
}
