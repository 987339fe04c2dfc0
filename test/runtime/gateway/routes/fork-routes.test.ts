import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { forksPerMinuteMax } from '../../../../runtime/gateway/routes/limits.ts';
import { ask, openStage, Player, type Stage, scope, signal } from '../stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
  await ask(stage.connect(), 'chat_message', {
    conversation_id: 'conv_p',
    message_id: 'm1',
    text: 'Hello',
  });
});
afterEach(() => stage[Symbol.asyncDispose]());

async function fork(body: unknown, { user = 'dev', conversation = 'conv_p' } = {}) {
  const response = await fetch(
    new URL(`/conversations/dev/dev/${conversation}/fork`, stage.gateway.url),
    {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'x-timeloom-user': user },
    },
  );
  const answer: unknown = await response.json();
  return { status: response.status, answer };
}

const Forked = z.object({ conversation_id: z.string() });
const Listed = z.object({ items: z.array(z.looseObject({ id: z.string() })) });

test('a fork at a block of the sender’s conversation is listed, and woken to close its open turn', async () => {
  const woken: number[] = [];
  using _wakes = stage.deps.bus.onWake((key) => woken.push(key));
  const player = await Player.take(stage.deps, 'conv_p');
  await player.append({ type: 'react.thinking', author: 'agent', text: 'Hm' });
  const { status, answer } = await fork({ at: 2 });
  const forked_from = { conversation_id: 'conv_p', seq: 2 };
  expect([status, answer]).toMatchObject([200, { ok: true, head: 2, forked_from }]);
  const { conversation_id: id } = Forked.parse(answer);
  const row = await stage.deps.store.find(scope, id, { signal });
  expect(woken).toEqual([row?.key]);
  const listed = await fetch(new URL('/conversations/dev/dev', stage.gateway.url));
  const { items } = Listed.parse(await listed.json());
  expect(items.find((item) => item.id === id)).toMatchObject({ forked_from });
  expect(items.find((item) => item.id === 'conv_p')).not.toHaveProperty('forked_from');
});

test('without a block the fork starts at the latest', async () => {
  expect(await fork({})).toMatchObject({ status: 200, answer: { head: 2 } });
});

test.each([
  [{ at: 9 }, {}, 'invalid_input: at: must be between 1 and 2'],
  [{ at: 0 }, {}, 'invalid_input: at: '],
  [{ at: 1.5 }, {}, 'invalid_input: at: '],
  [[], {}, 'invalid_input: '],
  [{}, { user: 'bob' }, 'not_found: conversation conv_p not found'],
  [{}, { conversation: 'conv_none' }, 'not_found: conversation conv_none not found'],
])('a fork %j of %j is refused: %s', async (body, of, words) => {
  const { status, answer } = await fork(body, of);
  const refused = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
  const { error } = refused.parse(answer);
  expect(`${error.code}: ${error.message}`).toContain(words);
  expect(status).toBe(error.code === 'not_found' ? 404 : 400);
});

test('forks have a rate limit', async () => {
  await stage[Symbol.asyncDispose]();
  // No time passes, so that nothing is allowed again.
  stage = await openStage({ clock: { ...systemClock, monotonic: () => 0 } });
  const statuses = new Set<number>();
  for (let n = 0; n <= forksPerMinuteMax; n += 1) statuses.add((await fork({})).status);
  expect([...statuses]).toEqual([404, 429]);
});
