import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { feedbackPerMinuteMax } from '../../../../runtime/gateway/routes/limits.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { ask, listen, openStage, Player, type Stage, scope, signal } from '../stage.ts';

let stage: Stage;
let turn: string;
beforeEach(async () => {
  stage = await openStage();
  turn = await say('conv_p');
});
afterEach(() => stage[Symbol.asyncDispose]());

/** A turn that is asked and answered; its id. */
async function say(conversation: string, text = 'Hello'): Promise<string> {
  const message_id = stage.deps.ids.next('msg');
  const message = { conversation_id: conversation, message_id, text };
  const { turn_id } = z
    .looseObject({ turn_id: z.string() })
    .parse(await ask(stage.connect(), 'chat_message', message));
  const player = await Player.take(stage.deps, conversation);
  const path = `ar:${turn_id}.assistant.completion.1`;
  await player.append({
    type: 'assistant.completion',
    author: 'agent',
    path: toBlockPath(path),
    text: `${text}!`,
    data: { n: 1 },
  });
  await player.append({ type: 'turn.close', author: 'system', data: { reason: 'completed' } });
  await stage.deps.store.release(player.key, { fence: player.fence, signal });
  return turn_id;
}

const Answer = z.looseObject({ error: z.looseObject({ code: z.string() }).optional() });

async function post(path: string, body: unknown, user = 'dev') {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(new URL(`/conversations/dev/dev/${path}`, stage.gateway.url), {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/json', 'x-timeloom-user': user },
  });
  return { status: response.status, answer: Answer.parse(await response.json()) };
}
const give = (body: unknown, of = `conv_p/turns/${turn}`) => post(`${of}/feedback`, body);
const listed = async (body: unknown = {}, user?: string) =>
  await post('conv_p/turns-with-feedbacks', body, user);
const year = { start: '2020-01-01', end: '2999-01-01T00:00:00+01:00' };
const inPeriod = (body: object = {}, user?: string) =>
  post('feedback/conversations-in-period', { ...year, ...body }, user);

// proves: feedback.over-http
test('feedback on a turn is kept, replaced by later feedback, and taken back by null', async () => {
  const first = await give({ reaction: 'not_ok', text: ' Wrong town. ' });
  const kept = { ok: true, success: true, turn_id: turn, reaction: 'not_ok', cleared: false };
  expect([first.status, first.answer]).toMatchObject([200, kept]);
  await give({ reaction: 'ok', ts: '2026-01-01T10:00:00Z' });
  const last = {
    turn_id: turn,
    reaction: 'ok',
    text: '',
    origin: 'user',
    confidence: 1,
    said_at: '2026-01-01T10:00:00Z',
  };
  const { answer } = await listed();
  expect(answer).toMatchObject({
    user_id: 'dev',
    conversation_id: 'conv_p',
    total: 1,
    turns: [
      {
        turn_id: turn,
        turn_log: {
          turn_id: turn,
          feedback: { count: 1, last_reaction: 'ok', last_origin: 'user' },
        },
        user: { text: 'Hello' },
        assistant: { text: 'Hello!' },
        feedbacks: [last],
        reactions: [{ reaction: 'not_ok', text: 'Wrong town.' }, last],
      },
    ],
  });
  expect((await give({ reaction: null, text: 'never mind' })).answer).toMatchObject({
    cleared: true,
  });
  expect((await listed()).answer).toMatchObject({ total: 0, turns: [] });
});

test('a repeated message is accepted once, and its id cannot be used for another', async () => {
  const said = { reaction: 'ok', text: 'Yes', message_id: 'm_1' };
  const [first, again] = [await give(said), await give(said)];
  expect(again.answer).toEqual({ ...first.answer, status: 'duplicate' });
  const other = await give({ ...said, reaction: 'neutral' });
  expect([other.status, other.answer.error?.code]).toEqual([409, 'conflict']);
  expect((await listed()).answer).toMatchObject({ turns: [{ reactions: [{ text: 'Yes' }] }] });
});

test('subscribers are notified at once, and an open turn continues', async () => {
  const later = await ask(stage.connect(), 'chat_message', {
    conversation_id: 'conv_p',
    message_id: 'm_later',
    text: 'And?',
  });
  const socket = stage.connect();
  const { until, heard } = listen(socket);
  await ask(socket, 'chat_subscribe', { conversation_id: 'conv_p', after: 'now' });
  await give({ reaction: 'neutral', text: 'Hm', message_id: 'm_2' });
  const { data: received } = await until(({ type }) => type === 'chat.feedback');
  const route = heard.find(({ envelope }) => envelope.type === 'chat.feedback')?.route;
  const path = `ar:${turn}.feedback.user`;
  const data = {
    turn_id: turn,
    reaction: 'neutral',
    text: 'Hm',
    origin: 'user',
    message_id: 'm_2',
    path,
  };
  expect([route, received]).toEqual(['chat_step', data]);
  const row = await stage.deps.store.find(scope, 'conv_p', { signal });
  expect(row?.openTurn).toBe(z.looseObject({ turn_id: z.string() }).parse(later).turn_id);
});

test('a period is listed by conversation, with its counts, page by page', async () => {
  const other = await say('conv_q');
  const second = await say('conv_p', 'Again');
  await give({ reaction: 'ok' });
  await give({ reaction: 'not_ok', text: 'No' }, `conv_p/turns/${second}`);
  await give({ reaction: 'neutral' }, `conv_q/turns/${other}`);
  await give({ reaction: 'ok' }, `conv_q/turns/${other}`);
  const counts = { total: 2, user: 2, machine: 0, ok: 1, not_ok: 1, neutral: 0 };
  const { answer } = await inPeriod();
  expect(answer).toMatchObject({
    ...{ tenant: 'dev', project: 'dev', next_cursor: null },
    window: { start: '2020-01-01T00:00:00.000Z', end: '2998-12-31T23:00:00.000Z' },
    items: [
      { conversation_id: 'conv_q', feedback_counts: { total: 1, ok: 1, neutral: 0 } },
      { conversation_id: 'conv_p', feedback_counts: counts },
    ],
  });
  expect(JSON.stringify(answer)).not.toContain('"turns"');
  const page = (await inPeriod({ limit: 1 })).answer;
  expect(page).toMatchObject({ items: [{ conversation_id: 'conv_q' }] });
  const next = await inPeriod({ limit: 1, cursor: page['next_cursor'], include_turns: true });
  expect(next.answer).toMatchObject({
    items: [{ turns: [{ turn_id: turn }, { turn_id: second, feedbacks: [{ text: 'No' }] }] }],
  });
  const end = await inPeriod({ limit: 1, cursor: next.answer['next_cursor'] });
  expect(end.answer).toMatchObject({ items: [], next_cursor: null });
  expect((await inPeriod({ end: '2021-01-01' })).answer).toMatchObject({ items: [] });
});

test('feedback on conversations of other users is refused', async () => {
  await give({ reaction: 'ok' });
  expect((await inPeriod({}, 'bob')).answer).toMatchObject({ items: [] });
  const refused = [
    await post(`conv_p/turns/${turn}/feedback`, { reaction: 'ok' }, 'bob'),
    await listed({}, 'bob'),
    await give({ reaction: 'ok' }, 'conv_p/turns/turn_none'),
    await give({ reaction: 'ok' }, `conv_p/turns/${turn}%00`),
    await give({ reaction: 'ok' }, `conv_none/turns/${turn}`),
    await give({ reaction: 'ok' }, `conv_q/turns/${await say('conv_q')}x`),
  ];
  expect(refused.map(({ status, answer }) => `${status} ${answer.error?.code}`)).toEqual(
    refused.map(() => '404 not_found'),
  );
  const strange = await inPeriod({ cursor: 'conv_p' }, 'bob');
  expect([strange.status, strange.answer.error?.code]).toEqual([400, 'cursor_invalid']);
});

test.each([
  ['feedback', {}],
  ['feedback', { reaction: 'great' }],
  ['feedback', { reaction: 'ok', text: 'x'.repeat(1_001) }],
  ['feedback', { reaction: 'ok', ts: 'yesterday' }],
  ['feedback', { reaction: 'ok', message_id: 'a b' }],
  ['feedback', []],
  ['feedback', '{'],
  ['turns', { days: 0 }],
  ['turns', { days: 4_000 }],
  ['turns', { turn_ids: 'turn_1' }],
  ['period', { start: undefined }],
  ['period', { start: 'soon' }],
  ['period', { end: year.start }],
  ['period', { limit: 0 }],
  ['period', { limit: 501 }],
  ['period', { cursor: 7 }],
])('%s with %j is refused with the name of its field', async (what, body) => {
  const { status, answer } =
    what === 'feedback'
      ? await give(body)
      : what === 'turns'
        ? await listed(body)
        : await inPeriod(Object(body));
  expect([status, answer.error?.code]).toEqual([400, 'invalid_input']);
});

test('turns are listed by id and age, only the requested ones', async () => {
  const second = await say('conv_p', 'Again');
  for (const each of [turn, second]) await give({ reaction: 'ok' }, `conv_p/turns/${each}`);
  const ids = async (body: object) =>
    z
      .looseObject({ turns: z.array(z.looseObject({ turn_id: z.string() })) })
      .parse((await listed(body)).answer)
      .turns.map(({ turn_id }) => turn_id);
  expect(await ids({ days: 1 })).toEqual([turn, second]);
  expect(await ids({ turn_ids: [second, 'turn_none'] })).toEqual([second]);
  expect(await ids({ turn_ids: [] })).toEqual([]);
});

test('feedback has a rate limit', async () => {
  await stage[Symbol.asyncDispose]();
  stage = await openStage({ clock: { ...systemClock, monotonic: () => 0 } });
  const statuses = new Set<number>();
  for (let n = 0; n <= feedbackPerMinuteMax; n += 1) {
    statuses.add((await give({ reaction: 'ok' })).status);
  }
  expect([...statuses]).toEqual([404, 429]);
});

// proves: feedback.origin
test('feedback with the origin machine is refused, and the user’s own stays', async () => {
  const path = `conv_p/turns/${turn}/feedback`;
  await post(path, { reaction: 'ok', text: 'Good' });
  for (const origin of ['machine', 'nobody']) {
    const refused = await post(path, { reaction: 'not_ok', origin });
    expect(refused.answer.error?.code).toBe('invalid_input');
  }
  const { answer } = await post('conv_p/turns-with-feedbacks', {});
  const feedbacks = [{ reaction: 'ok', text: 'Good', origin: 'user' }];
  expect(answer).toMatchObject({ turns: [{ feedbacks }] });
});
