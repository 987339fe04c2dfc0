import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { type Env, failure, shapeErrors } from '../../../../runtime/gateway/http/context.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { ask, openStage, Player, type Stage } from '../stage.ts';
import { allEvents, eventsOf, type ServerEvent } from './events.ts';

const path = '/api/chat/dev/dev/conversations/conv_a/stream';

async function begin(stage: Stage): Promise<Player> {
  const socket = stage.connect();
  await ask(socket, 'chat_message', { conversation_id: 'conv_a', message_id: 'm1', text: 'Sum?' });
  return Player.take(stage.deps, 'conv_a');
}

function watch(stage: Stage, query: string, headers: Record<string, string> = {}) {
  return fetch(new URL(`${path}${query}`, stage.gateway.url), { headers });
}

async function play(player: Player): Promise<void> {
  const data = { round: 1, phase: 'decision', landed: [{ event_id: 'm1', seq: 2 }] };
  await player.append({ type: 'round.open', author: 'system', data });
  const call = { author: 'agent' as const, call: toCallId('tc_1') };
  await player.append({ ...call, type: 'react.tool.call', data: { tool: 'sum.add', input: {} } });
  await player.append({ ...call, type: 'react.tool.result', data: { ok: true, ret: 3 } });
  await player.delta('answer', 'It is ');
}

async function finish(player: Player): Promise<void> {
  await player.delta('answer', '3.');
  const data = { stream: `${player.turn}.1.answer.1`, n: 1, degraded: false };
  await player.append({ type: 'assistant.completion', author: 'agent', text: 'It is 3.', data });
  await player.close('It is 3.');
}

/** Pieces of one answer as one piece. */
function merged(events: readonly ServerEvent[]): readonly string[] {
  const texts: string[] = [];
  for (const { event, data } of events) {
    const { status, content } = JSON.parse(data) as { status?: string; content?: string };
    if (status === 'delta' && texts.at(-1)?.startsWith('+')) texts.push(`${texts.pop()}${content}`);
    else texts.push(status === 'delta' ? `+${content}` : `${event} ${data}`);
  }
  return texts;
}

// proves: endpoints.projections
test('a watcher gets the turn from its start, and the response ends with the turn', async () => {
  await using stage = await openStage();
  const player = await begin(stage);
  const live = watch(stage, '?as=fim');
  await play(player);
  await finish(player);
  const events = await allEvents(await live);
  expect(events.at(-1)?.event).toBe('done');
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const later = await allEvents(await watch(stage, '?as=fim'));
  expect(merged(later)).toEqual(merged(events));
});

// proves: endpoints.resume
test('a watcher that comes back after any event gets what an unbroken stream would have sent', async () => {
  await using stage = await openStage();
  const player = await begin(stage);
  const live = watch(stage, '?as=fim');
  await play(player);
  await finish(player);
  const events = await allEvents(await live);
  for (const [at, { id }] of events.slice(0, -1).entries()) {
    const rest = await allEvents(await watch(stage, '?as=fim', { 'last-event-id': id }));
    expect(merged(rest)).toEqual(merged(events.slice(at + 1)));
  }
});

// proves: endpoints.resume
test('after the end of a turn a watcher waits for the next one', async () => {
  await using stage = await openStage();
  const player = await begin(stage);
  await player.close('It is 3.');
  const last = (await allEvents(await watch(stage, '?as=fim'))).at(-1);
  const next = await watch(stage, `?as=fim&after=${last?.id ?? ''}`);
  const socket = stage.connect();
  await ask(socket, 'chat_message', { conversation_id: 'conv_a', message_id: 'm2', text: 'And?' });
  for await (const first of eventsOf(next)) {
    expect(first.data).toBe('{"type":"thinking","status":"start","iteration":1}');
    break;
  }
  expect.assertions(1);
});

// proves: endpoints.projections
test('an unknown name, a foreign id and a number of turns are refused', async () => {
  await using stage = await openStage();
  const player = await begin(stage);
  await player.close();
  for (const query of [
    '?as=morse',
    '?as=',
    '?as=fim&after=x',
    '?as=fim&after=~1',
    '?as=fim&tail=2',
  ])
    expect([query, (await watch(stage, query)).status]).toEqual([query, 400]);
});

// proves: endpoints.errors
test('an error is sent in the shape of the protocol whose path was requested', async () => {
  const app = new Hono<Env>();
  app.use(
    '/theirs/*',
    shapeErrors(({ code }, status) => ({ detail: code, status })),
  );
  app.get('*', (context) => failure(context, { code: 'not_found', message: 'gone' }, 404));
  const bodyOf = async (at: string) => (await app.request(at)).json();
  expect(await bodyOf('/theirs/a')).toEqual({ detail: 'not_found', status: 404 });
  expect(await bodyOf('/ours')).toMatchObject({ ok: false, error: { code: 'not_found' } });
});
