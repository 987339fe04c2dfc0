import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Client, type Conversation, connect } from '../../../../runtime/client/index.ts';
import { openStage, Player, type Stage } from '../../gateway/stage.ts';

let stage: Stage;
let client: Client;
let conversation: Conversation;
beforeEach(async () => {
  stage = await openStage();
  client = connect({ url: stage.gateway.url });
  conversation = client.conversation('conv_story');
});
afterEach(async () => {
  await client[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

function until(condition: () => boolean, of = conversation): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!condition()) return;
      off();
      resolve();
    };
    const off = of.onChange(check);
    check();
  });
}

const kinds = (of = conversation) => of.state.turns.at(-1)?.parts.map(({ kind }) => kind);

// proves: client.story
test('the state has every visible part of a turn in order, and how it ended', async () => {
  await conversation.send('Why?');
  const player = await Player.take(stage.deps, 'conv_story');
  await player.delta('thinking', 'Look first');
  await player.delta('answer', 'Because.');
  await until(() => kinds()?.length === 3);
  expect(kinds()).toEqual(['message', 'thinking', 'answer']);
  const running = conversation.state;
  await player.close('Because.');
  await until(() => conversation.state.turns[0]?.end !== undefined);
  const [turn] = conversation.state.turns;
  expect(turn).toMatchObject({
    ...{ bundle: 'desk', agent: 'main', seq: 1, pending: false },
    ...{ end: { reason: 'completed' } },
  });
  expect(turn?.end?.usage.outputTokens).toBeTypeOf('number');
  expect(running.turns[0]?.end).toBeUndefined();
});

// proves: client.story
test('what has not changed stays the same object', async () => {
  await conversation.send('One');
  const player = await Player.take(stage.deps, 'conv_story');
  await player.delta('thinking', 'Look first');
  await until(() => kinds()?.length === 2);
  const before = conversation.state.turns[0];
  await player.delta('answer', 'Because');
  await until(() => kinds()?.length === 3);
  const after = conversation.state.turns[0];
  expect(after).not.toBe(before);
  expect(after?.parts.slice(0, 2).map((part, at) => part === before?.parts[at])).toEqual([
    true,
    true,
  ]);
});

// proves: client.story
test('a followup appears at once, becomes part of its turn, and a refused one stays until it is discarded', async () => {
  await conversation.send('Why?');
  const sending = conversation.followup('And?', { messageId: 'm2' });
  expect(conversation.state.unsent).toMatchObject([{ message: 'm2', state: 'sending' }]);
  await sending;
  await until(() => kinds()?.length === 2);
  expect(conversation.state.unsent).toEqual([]);
  const refused = conversation.followup('x'.repeat(40_000), { messageId: 'm3' });
  await expect(refused).rejects.toMatchObject({ code: 'invalid_input' });
  expect(conversation.state.unsent).toMatchObject([{ state: 'refused' }]);
  expect(conversation.state.unsent[0]?.problem).toContain('32000');
  conversation.discard('m3');
  expect(conversation.state.unsent).toEqual([]);
});

// proves: client.story
test('turns that are loaded later stand before the others, with their answers', async () => {
  for (const text of ['One', 'Two', 'Three']) {
    await conversation.send(text);
    const player = await Player.take(stage.deps, 'conv_story');
    await player.delta('answer', `${text}!`);
    await player.close(`${text}!`);
    await stage.deps.store.release(player.key, {
      fence: player.fence,
      signal: AbortSignal.timeout(1_000),
    });
  }
  await using other = connect({ url: stage.gateway.url });
  const late = other.conversation('conv_story', { tail: 1 });
  await until(() => late.state.turns.length === 1, late);
  await late.earlier(5);
  expect(late.state.turns.map(({ prompt }) => prompt)).toEqual(['One', 'Two', 'Three']);
  expect(late.state.turns.every(({ end }) => end?.reason === 'completed')).toBe(true);
});
