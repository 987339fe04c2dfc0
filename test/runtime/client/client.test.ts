import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { Scope } from '../../../runtime/base/scope.ts';
import {
  type ChatEvent,
  type Client,
  type Conversation,
  connect,
} from '../../../runtime/client/index.ts';
import { toConversationKey, toStreamName } from '../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import { openStage, Player, type Stage } from '../gateway/stage.ts';
import { openWire, type Wire } from './cuttable-proxy.ts';

let owned: Scope;
let stage: Stage;
let wire: Wire;
let client: Client;
beforeEach(async () => {
  owned = new Scope();
  stage = owned.own(await openStage());
  wire = owned.own(await openWire(stage.gateway.port));
  client = owned.own(connect({ url: wire.url }));
});
afterEach(() => owned[Symbol.asyncDispose]());

function answer(player: Player, text: string, more: object = {}) {
  return player.append({
    type: 'assistant.completion',
    author: 'agent',
    path: toBlockPath(`ar:${player.turn}.assistant.completion.1`),
    text,
    data: { stream: `${player.turn}.1.answer.1`, n: 1, degraded: false, ...more },
  });
}

// proves: client.turn
test('a sent message becomes a turn whose channels stream and whose result is typed', async () => {
  const conversation = client.conversation();
  const turn = await conversation.send('How many?');
  expect(turn).toMatchObject({ status: 'started', seq: 2 });
  const player = await Player.take(stage.deps, conversation.id);
  const pieces = (async () => {
    let text = '';
    for await (const delta of turn.channel('answer')) text += delta.text;
    return text;
  })();
  await player.delta('thinking', 'Hm.');
  await player.delta('answer', 'For');
  await player.delta('answer', 'ty-two');
  await answer(player, 'Forty-two.');
  const usage = { input_tokens: 10, output_tokens: 5, cache_read_tokens: 2, cost_usd: 0.01 };
  const file = {
    path: `fi:${turn.id}.outputs/a.csv`,
    filename: 'a.csv',
    mime: 'text/csv',
    size: 3,
    visibility: 'external',
  };
  const data = {
    reason: 'completed',
    text: 'Forty-two.',
    degraded: false,
    completions: 1,
    files: [file],
    usage,
    output: { n: 42 },
  };
  await player.append({ type: 'turn.close', author: 'system', data });
  // The last piece was never streamed: it comes from the finished text.
  expect(await pieces).toBe('Forty-two.');
  expect(await turn.done({ output: z.object({ n: z.number() }) })).toEqual({
    reason: 'completed',
    citations: [],
    text: 'Forty-two.',
    degraded: false,
    output: { n: 42 },
    files: [file],
    sources: [],
    usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 2, costUsd: 0.01 },
    usageByRole: {},
  });
  // proves: reply.output-unfit
  expect(await turn.done({ output: z.object({ n: z.string() }) })).toMatchObject({
    reason: 'completed',
    output: undefined,
    error: { code: 'OUTPUT_INVALID' },
  });
  const blocks = await turn.blocks();
  expect(blocks.map(({ type }) => type)).toEqual([
    'turn.open',
    'user.prompt',
    'assistant.completion',
    'turn.close',
  ]);
});

test('a lost connection loses and duplicates nothing: listeners continue where they were', async () => {
  const conversation = client.conversation();
  const heard: ChatEvent[] = [];
  const turn = await conversation.send('Count');
  const ended = (async () => {
    for await (const event of conversation.events()) {
      heard.push(event);
      if (event.type === 'conv.status' && event.data.state === 'idle') return;
    }
  })();
  const player = await Player.take(stage.deps, conversation.id);
  for (let round = 0; round < 5; round += 1) {
    for (let piece = 0; piece < 20; piece += 1)
      await player.delta('answer', `${round * 20 + piece} `);
    wire.cut();
  }
  const followup = conversation.followup('more', { messageId: 'again' });
  wire.cut();
  expect((await followup).status).toMatch(/queued|duplicate/);
  await player.close();
  await ended;
  const text = heard
    .flatMap((event) => (event.type === 'chat.delta' ? [event.delta.text] : []))
    .join('');
  expect(text).toBe(Array.from({ length: 100 }, (_, index) => `${index} `).join(''));
  expect(new Set(heard.map(({ cursor }) => cursor)).size).toBe(heard.length);
  expect(await turn.done()).toMatchObject({ reason: 'completed' });
});

test('a saved cursor continues in another client, and without one the whole conversation is sent', async () => {
  const mine = client.conversation('conv_saved');
  const turn = await mine.send('Hello');
  const player = await Player.take(stage.deps, 'conv_saved');
  await player.delta('thinking', 'one');
  const seen = await firstWhere(mine, ({ type }) => type === 'chat.delta');
  await player.delta('thinking', 'two');
  await player.close();
  await turn.done();

  const other = owned.own(connect({ url: stage.gateway.url }));
  const rest = other.conversation('conv_saved', { after: seen.cursor });
  const next = await firstWhere(rest, () => true);
  expect(next).toMatchObject({ type: 'chat.delta', delta: { text: 'two' } });

  const third = owned.own(connect({ url: stage.gateway.url }));
  expect(await firstWhere(third.conversation('conv_saved'), () => true)).toMatchObject({
    type: 'chat.start',
    data: { text: 'Hello' },
  });
  expect((await third.conversations()).items).toMatchObject([{ id: 'conv_saved' }]);
});

test('the state shows a message immediately, then as the turn it opened', async () => {
  const conversation = client.conversation();
  const sending = conversation.send('Why?');
  expect(conversation.state.turns).toMatchObject([{ pending: true, prompt: 'Why?' }]);
  const turn = await sending;
  const player = await Player.take(stage.deps, conversation.id);
  await player.delta('answer', 'Because.');
  await until(conversation, () => conversation.state.turns[0]?.answer === 'Because.');
  expect(conversation.state).toMatchObject({
    status: 'working',
    turns: [{ id: turn.id, pending: false, prompt: 'Why?' }],
  });
  expect(conversation.state.turns).toHaveLength(1);
  await player.close();
  await until(conversation, () => conversation.state.status === 'idle');
});

// proves: client.turn
test('a steer and a stop name their turn, and a refused one rejects and stores nothing', async () => {
  const conversation = client.conversation();
  const turn = await conversation.send('Go');
  expect(await turn.steer('left')).toMatchObject({ id: turn.id, status: 'queued' });
  expect(await turn.stop()).toMatchObject({ id: turn.id, status: 'queued' });
  const player = await Player.take(stage.deps, conversation.id);
  await player.close();
  await turn.done();
  await expect(turn.stop()).rejects.toMatchObject({ code: 'turn_closed' });
  await expect(conversation.stop()).rejects.toMatchObject({ code: 'turn_closed' });
  await conversation.send('Again');
  await expect(turn.steer('left')).rejects.toMatchObject({ code: 'turn_closed' });
  const byHand = await fetch(new URL('/api/chat/dev/dev/messages', stage.gateway.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ conversation_id: conversation.id, message_id: 'by-hand', kind: 'steer', text: '' },
      expected_turn_id: turn.id,
    }),
  });
  expect(await byHand.json()).toMatchObject({
    ...{ ok: false, status: 'refused', error: { code: 'turn_changed' } },
  });
  await expect(conversation.event('weather', {})).rejects.toMatchObject({ code: 'unknown_kind' });
  await expect(conversation.send('')).rejects.toMatchObject({ code: 'invalid_input' });
  expect(conversation.state.turns.at(-1)?.failed).toMatchObject({ code: 'invalid_input' });
});

test('a failed turn is a result, not an error; a closed client is one', async () => {
  const conversation = client.conversation();
  const turn = await conversation.send('Go');
  const player = await Player.take(stage.deps, conversation.id);
  const error = { code: 'SCRIPT_MISMATCH', message: 'no reply' };
  const data = {
    reason: 'failed',
    text: '',
    degraded: false,
    completions: 0,
    files: [],
    usage: {},
    error,
  };
  await player.append({ type: 'turn.close', author: 'system', data });
  expect(await turn.done()).toMatchObject({ reason: 'failed', error });
  const next = await conversation.send('Again');
  const waiting = next.done();
  await client[Symbol.asyncDispose]();
  await expect(waiting).rejects.toMatchObject({ code: 'client_closed' });
  await expect(conversation.send('Late')).rejects.toMatchObject({ code: 'client_closed' });
});

test('files are sent inside the message or uploaded first, and downloaded by their path', async () => {
  const conversation = client.conversation();
  const small = {
    name: 'small.csv',
    mime: 'text/csv',
    data: new TextEncoder().encode('a,b\n1,2\n'),
  };
  const large = new File([new Uint8Array(300_000).fill(65)], 'large.txt', { type: 'text/plain' });
  const steps: string[] = [];
  const onUpload = ({ name, sent, total }: { name: string; sent: number; total: number }) =>
    steps.push(`${name} ${sent}/${total}`);
  const turn = await conversation.send('See', { attachments: [small, large], onUpload });
  expect(steps).toEqual([
    'small.csv 0/8',
    'small.csv 8/8',
    'large.txt 0/300000',
    'large.txt 300000/300000',
  ]);
  const response = await client.fetch(`fi:${turn.id}.user.attachments/small.csv`);
  expect(await response.text()).toBe('a,b\n1,2\n');
  expect(response.headers.get('content-disposition')).toContain('attachment');
  const other = await client.fetch(`fi:${turn.id}.user.attachments/large.txt`);
  expect((await other.arrayBuffer()).byteLength).toBe(300_000);
  await expect(client.fetch(`fi:${turn.id}.outputs/none.txt`)).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('a take-over drops the stream of the previous owner', async () => {
  const conversation = client.conversation();
  const turn = await conversation.send('Go');
  const first = await Player.take(stage.deps, conversation.id);
  await first.delta('answer', 'Half a');
  await until(conversation, () => conversation.state.turns[0]?.answer === 'Half a');
  const row = await stage.deps.store.find({ tenant: 'dev', project: 'dev' }, conversation.id, {
    signal: new AbortController().signal,
  });
  await stage.deps.store.release(toConversationKey(row?.key ?? 0), {
    fence: first.fence,
    signal: new AbortController().signal,
  });
  const second = await Player.take(stage.deps, conversation.id);
  await second.delta('answer', 'Whole.', { stream: toStreamName(`${turn.id}.2.answer.1`) });
  await until(conversation, () => conversation.state.turns[0]?.answer === 'Whole.');
  await second.close('Whole.');
  expect(await turn.done()).toMatchObject({ text: 'Whole.' });
});

test('a forbidden user gets a refusal', async () => {
  const outsider = owned.own(connect({ url: stage.gateway.url, tenant: 'acme' }));
  await expect(outsider.conversation().send('hi')).rejects.toMatchObject({ code: 'forbidden' });
});

async function firstWhere(
  conversation: Conversation,
  wanted: (event: ChatEvent) => boolean,
): Promise<ChatEvent> {
  for await (const event of conversation.events()) if (wanted(event)) return event;
  throw new Error('the events ended');
}

function until(conversation: Conversation, isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!isSo()) return;
      off();
      resolve();
    };
    const off = conversation.onChange(check);
    check();
  });
}
