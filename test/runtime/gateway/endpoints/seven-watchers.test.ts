import { io } from 'socket.io-client';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineBundle, defineTool } from '../../../../runtime/sdk/index.ts';
import { openRuntime, type Reply } from '../../../../runtime/testing/index.ts';
import { ask, scope } from '../stage.ts';
import type { ServerEvent } from './events.ts';
import { openWatcher, type Watcher } from './live-watcher.ts';
import {
  asSaidBy,
  type Reading,
  readings,
  type WatcherName,
  watcherNames,
} from './watcher-readings.ts';

const write = defineTool({
  id: 'desk.write',
  description: 'Writes a list.',
  traits: ['exploitation'],
  effects: 'keyed',
  input: z.object({ text: z.string() }),
  run: async ({ text }, ctx) => {
    await ctx.files.write('outputs/list.txt', text);
    return 'written';
  },
});
const agent = defineAgent({ id: 'main', instruction: 'You keep a bar.', tools: [write] });
const bundle = defineBundle({ id: 'bar', version: '1', title: 'Bar', agents: [agent] });
const written: Reply = {
  thinking: 'A list.',
  call: { tool: 'desk.write', input: { text: 'gin' } },
};
const half: Reply = {
  answer: 'The list has {{hold}}gin, and nothing else.',
  hold: 'half',
  chunk: 4,
};
const seen: Reading = {
  answer: 'The list has gin, and nothing else.',
  calls: ['desk.write written'],
  files: ['list.txt'],
  steers: [],
  end: 'completed',
};

/** A turn in the middle of its answer. */
async function openTurn(replies: readonly Reply[]) {
  const runtime = await openRuntime({ bundle, model: [written, ...replies] });
  const send = async (message: object) => {
    const socket = io(runtime.url, { transports: ['websocket'], forceNew: true, auth: scope });
    const sent = await ask(socket, 'chat_message', { conversation_id: 'conv_a', ...message });
    socket.disconnect();
    expect(sent).toMatchObject({ ok: true });
  };
  await send({ message_id: 'm1', text: 'Write the list' });
  await runtime.model.held('half');
  const watch = (name: WatcherName, cut?: number) => openWatcher(runtime.url, name, cut);
  return { runtime, send, watch, [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose]() };
}

/** Every reading, by the name of its watcher. */
async function read(watchers: Readonly<Record<string, Watcher>>) {
  const names = watcherNames.filter((name) => name in watchers);
  const all = await Promise.all(
    names.map(async (name) => [name, await readings[name]((await watchers[name]?.whole) ?? [])]),
  );
  return Object.fromEntries(all) as Readonly<Record<string, Reading>>;
}

function expected(names: readonly WatcherName[], reading: Reading) {
  return Object.fromEntries(names.map((name) => [name, asSaidBy(name, reading)]));
}

async function watchAll(watch: (name: WatcherName) => Watcher) {
  const watchers = Object.fromEntries(watcherNames.map((name) => [name, watch(name)]));
  await Promise.all(Object.values(watchers).map(({ answering }) => answering));
  return watchers;
}

// proves: endpoints.seven-watchers
test('seven watchers of a live turn see the same answer, calls, files and end', async () => {
  await using turn = await openTurn([half]);
  const watchers = await watchAll((name) => turn.watch(name));
  turn.runtime.model.release('half');
  expect(await read(watchers)).toEqual(expected(watcherNames, seen));
});

const text = 'Only the number.';
const ofOpenAi = { 'x-timeloom-conversation': 'conv_a', 'x-timeloom-kind': 'steer' };
const post = (url: string, path: string, body: object) =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(path.startsWith('/v1/') ? ofOpenAi : {}) },
    body: JSON.stringify(body),
  }).then((response) => response.text());
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const Tasks = z.looseObject({
  result: z.looseObject({ tasks: z.tuple([z.looseObject({ id: z.string() })]) }),
});
const steers: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  'AI SDK': (url) =>
    post(url, '/api/ai/dev/dev/main', {
      ...{ id: 'conv_a', kind: 'steer' },
      message: { id: 'm2', role: 'user', parts: [{ type: 'text', text }] },
    }),
  'AG-UI': (url) =>
    post(url, '/api/ag-ui/dev/dev/main', {
      ...{ threadId: 'conv_a', runId: 'run_2', state: {}, tools: [], context: [] },
      messages: [{ id: 'm2', role: 'user', content: text }],
      forwardedProps: { kind: 'steer' },
    }),
  LangGraph: (url) =>
    post(url, '/threads/conv_a/runs', {
      assistant_id: 'main',
      input: { messages: [{ type: 'human', content: text, id: 'm2' }] },
      multitask_strategy: 'interrupt',
    }),
  'Chat Completions': (url) =>
    post(url, '/v1/chat/completions', {
      ...{ model: 'main', messages: [{ role: 'user', content: text }] },
    }),
  Responses: (url) => post(url, '/v1/responses', { model: 'main', input: text, background: true }),
  A2A: async (url) => {
    const list = await post(
      url,
      '/api/a2a/dev/dev/main',
      rpc('ListTasks', { contextId: 'conv_a' }),
    );
    const [{ id: taskId }] = Tasks.parse(JSON.parse(list)).result.tasks;
    const sent = { messageId: 'm2', taskId, role: 'ROLE_USER', parts: [{ text }] };
    const message = { ...sent, metadata: { 'timeloom/kind': 'steer' } };
    return post(url, '/api/a2a/dev/dev/main', rpc('SendMessage', { message }));
  },
};

// proves: endpoints.seven-watchers
test.each(['Socket.IO', ...Object.keys(steers)])(
  'a steer over %s reaches every watcher that its protocol can tell',
  async (name) => {
    await using turn = await openTurn([half, { answer: '1' }]);
    const watchers = await watchAll((each) => turn.watch(each));
    const steer = steers[name] ?? (() => turn.send({ message_id: 'm2', kind: 'steer', text }));
    const [readingsOfAll] = await Promise.all([read(watchers), steer(turn.runtime.url)]);
    expect(readingsOfAll).toEqual(expected(watcherNames, { ...seen, answer: '1', steers: [text] }));
  },
);

// proves: endpoints.seven-watchers
test('a worker is killed in the middle of the answer, and each watcher ends with the answer of the next one', async () => {
  await using turn = await openTurn([half, { answer: 'Gin.' }]);
  const watchers = await watchAll((name) => turn.watch(name));
  await turn.runtime.crash();
  expect(await read(watchers)).toEqual(expected(watcherNames, { ...seen, answer: 'Gin.' }));
});

/** The blocks that were shown, by their cursors. */
function logIn(events: readonly ServerEvent[]): readonly string[] {
  const Envelope = z.object({ type: z.string(), cursor: z.string() });
  const all = events.map(({ data }) => Envelope.parse(JSON.parse(data)));
  const passing = ['chat.delta', 'conv.status', 'stream.reset'];
  return all.flatMap(({ type, cursor }) => (passing.includes(type) ? [] : [`${type} ${cursor}`]));
}

const resumable = ['socket', 'sse', 'ag-ui', 'fim', 'langgraph'] as const;

// proves: endpoints.seven-watchers
test.each([
  ...[1, 2, 3, 5].flatMap((cut) => [
    { cut, crashes: false },
    { cut, crashes: true },
  ]),
])(
  'behind a proxy that cuts every connection after $cut events, watchers with cursors lose nothing (worker killed: $crashes)',
  async ({ cut, crashes }) => {
    await using turn = await openTurn([half, { answer: 'Gin.' }]);
    const watchers = resumable.map((name) => [name, turn.watch(name, cut)] as const);
    const unbroken = resumable.map((name) => [name, turn.watch(name)] as const);
    await Promise.all([...watchers, ...unbroken].map(([, { answering }]) => answering));
    if (crashes) await turn.runtime.crash();
    else turn.runtime.model.release('half');
    const answer = crashes ? 'Gin.' : seen.answer;
    const all = expected(resumable, { ...seen, answer });
    expect(await read(Object.fromEntries(watchers))).toEqual(all);
    expect(await read(Object.fromEntries(unbroken))).toEqual(all);
    const [sockets, streams] = [watchers, unbroken].map((each) => each.slice(0, 2));
    const logs = [...(sockets ?? []), ...(streams ?? [])].map(([, { whole }]) => whole.then(logIn));
    const [log, ...others] = await Promise.all(logs);
    for (const other of others) expect(other).toEqual(log);
  },
);

// proves: endpoints.seven-watchers
test('a watcher without cursors that comes back gets the turn from its start', async () => {
  await using turn = await openTurn([half]);
  const first = (['ai', 'openai'] as const).map((name) => turn.watch(name));
  await Promise.all(first.map(({ answering }) => answering));
  turn.runtime.model.release('half');
  await Promise.all(first.map(({ whole }) => whole));
  const later = { ai: turn.watch('ai'), openai: turn.watch('openai') };
  expect(await read(later)).toEqual(expected(['ai', 'openai'], seen));
});
