import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  defineAgent,
  defineBundle,
  defineEvent,
  defineOperation,
  defineSecret,
  defineTool,
} from '../../../runtime/sdk/index.ts';
import { openRuntime, outline } from '../../../runtime/testing/index.ts';

const pagerKey = defineSecret({ id: 'PAGER_KEY', for: 'bundle', description: 'of the pager' });
const Alert = z.object({ service: z.string(), text: z.string() });
const alert = defineEvent({
  kind: 'alert',
  reactive: true,
  payload: Alert,
  text: ({ service, text }) => `ALERT ${service}: ${text}`,
});
const note = defineEvent({ kind: 'note', payload: z.object({}), text: () => 'noted' });
const foreign = defineEvent({ kind: 'alert', payload: z.object({}), text: () => 'x' });
const pager = defineOperation({
  id: 'pager',
  access: 'public',
  input: Alert.extend({ oncall: z.string() }),
  verify: (request, ctx) => ctx.secrets.matches(pagerKey, request.headers.get('x-pager-key')),
  async run({ oncall: user, ...payload }, ctx) {
    const { id } = await ctx.conversations.open({
      ...{ user, key: payload.service, title: `Pager: ${payload.service}` },
    });
    return ctx.events.send(alert, { conversation: id, payload });
  },
});
const opened = defineOperation({
  id: 'opened',
  input: z.object({ key: z.string().optional(), user: z.string().optional() }),
  run: async ({ key, user }, ctx) =>
    (await ctx.conversations.open({ user: user ?? ctx.ids.user, ...(key && { key }) })).id,
});
const Anything = z.record(z.string(), z.json());
const sent = defineOperation({
  id: 'sent',
  input: z.object({
    conversation: z.string(),
    kind: z.enum(['alert', 'note', 'foreign']).default('alert'),
    payload: Anything.default({}),
    message: z.string().optional(),
  }),
  run: ({ kind, conversation, payload, message }, ctx) => {
    const event = { alert, note, foreign }[kind];
    return ctx.events.send(event, {
      conversation,
      // The runtime also rejects what the compiler would reject here.
      payload: payload as never,
      ...(message && { messageId: message }),
    });
  },
});
const warn = defineTool({
  id: 'pager.warn',
  description: 'Warns a colleague.',
  input: z.object({ who: z.string() }),
  async run({ who }, ctx) {
    const { id } = await ctx.conversations.open({ user: who, key: 'warnings' });
    return ctx.events.send(alert, { conversation: id, payload: { service: 'web', text: 'slow' } });
  },
});
const bundle = defineBundle({
  id: 'desk',
  version: '1.0.0',
  agents: [defineAgent({ id: 'oncall', instruction: 'Help.', tools: [warn] })],
  secrets: [pagerKey],
  events: [alert, note],
  operations: [pager, opened, sent],
});
const desk = { bundle, secrets: { PAGER_KEY: 'ring-ring' } } as const;

type Runtime = Awaited<ReturnType<typeof openRuntime>>;
const Answer = z.object({ ok: z.boolean(), ret: z.json().optional(), error: z.json().optional() });
const Sent = z.object({
  status: z.string(),
  conversation: z.string(),
  turn: z.string(),
  seq: z.number(),
});

function ring(runtime: Runtime, body: object, key = 'ring-ring') {
  const headers = { 'x-pager-key': key };
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  return runtime.operation('pager', new Request('http://desk.test/', request));
}
async function retOf(answering: Promise<Response>) {
  return Answer.parse(await (await answering).json()).ret;
}

const slow = { oncall: 'ann', service: 'checkout', text: 'p95 840 ms' };

// proves: operations.pager
test('a pager opens a conversation of the user on call, with a turn that reads the alert', async () => {
  const model = [{ answer: 'Looking.' }, { answer: 'Again.' }];
  await using runtime = await openRuntime({ ...desk, model });
  expect((await ring(runtime, slow, 'wrong')).status).toBe(401);
  const first = Sent.parse(await retOf(ring(runtime, slow)));
  expect(first.status).toBe('started');
  const client = runtime.connect({ user: 'ann' });
  const conversation = client.conversation(first.conversation);
  const ended: string[] = [];
  for await (const event of conversation.events()) {
    if (event.type === 'chat.complete') ended.push(event.turnId);
    if (event.type === 'chat.complete') break;
  }
  expect(ended).toEqual([first.turn]);
  expect(runtime.model.requests[0]?.text).toContain('ALERT checkout: p95 840 ms');
  const [listed, ...others] = (await client.conversations()).items;
  expect([listed?.id, listed?.title, others]).toEqual([first.conversation, 'Pager: checkout', []]);
  // The same key is the same conversation; another event opens its next turn.
  const second = Sent.parse(await retOf(ring(runtime, { ...slow, text: 'p95 900 ms' })));
  expect([second.conversation, second.turn === first.turn]).toEqual([first.conversation, false]);
  expect(Sent.parse(await retOf(ring(runtime, { ...slow, service: 'web' }))).conversation).not.toBe(
    first.conversation,
  );
});

// proves: context.conversations-open
test('a key selects one conversation of its user, and without a key each call opens a new one', async () => {
  await using runtime = await openRuntime({ ...desk, model: [] });
  const open = (input: object) => runtime.connect().operation('desk', 'opened', { ...input });
  const [a, again, other, none, none2] = await Promise.all([
    open({ key: 'a' }),
    open({ key: 'a' }),
    open({ key: 'a', user: 'bob' }),
    open({}),
    open({}),
  ]);
  expect(again).toBe(a);
  expect(new Set([a, other, none, none2]).size).toBe(4);
  await expect(open({ key: 'a', user: 'a\nb' })).rejects.toMatchObject({ code: 'invalid_input' });
});

// proves: context.events-send
test('an event is accepted once, if its kind, its data and its conversation are valid', async () => {
  const model = [{ thinking: 'Hm', hold: 'thinking' }, { answer: 'Done.' }];
  await using runtime = await openRuntime({ ...desk, model });
  const client = runtime.connect();
  const conversation = z.string().parse(await client.operation('desk', 'opened', { key: 'a' }));
  const send = async (input: object) =>
    Sent.parse(await client.operation('desk', 'sent', { conversation, ...input }));
  expect(await send({ kind: 'note', message: 'm0' })).toMatchObject({ status: 'queued', turn: '' });
  const payload = { service: 'web', text: 'slow' };
  const first = await send({ payload, message: 'm1' });
  expect(first.status).toBe('started');
  await runtime.model.held('thinking');
  expect(await send({ payload, message: 'm1' })).toEqual({ ...first, status: 'duplicate' });
  const joined = await send({ payload: { ...payload, text: 'slower' }, message: 'm2' });
  expect([joined.status, joined.turn]).toEqual(['queued', first.turn]);
  const refused = async (input: object) =>
    send(input).then(
      () => 'taken',
      (error: unknown) => Reflect.get(Object(error), 'code'),
    );
  expect(await refused({ payload, message: 'm2' })).toBe('conflict');
  expect(await refused({ payload: { service: 'web' } })).toBe('invalid_input');
  expect(await refused({ kind: 'foreign' })).toBe('NOT_IN_BUNDLE');
  expect(await refused({ payload, conversation: 'conv_none' })).toBe('not_found');
  expect(await refused({ payload, message: 'not an id' })).toBe('invalid_input');
});

// proves: context.post-in-tools
test('tools can also open conversations and send events', async () => {
  const model = [
    { call: { tool: 'pager.warn', input: { who: 'bob' } }, when: 'Tell Bob' },
    { answer: 'Sent.' },
  ];
  await using runtime = await openRuntime({ ...desk, model });
  const turn = await runtime.send('Tell Bob');
  await turn.done();
  const [result] = (await turn.blocks()).filter(({ type }) => type === 'react.tool.result');
  const sent = z.object({ ok: z.literal(true), ret: Sent }).parse(result?.data);
  const { items: rows } = await runtime.connect({ user: 'bob' }).conversations();
  expect(rows.map(({ id }) => id)).toEqual([sent.ret.conversation]);
  expect(outline(await turn.blocks(), 'react.tool')).toEqual([
    'react.tool.call pager.warn',
    'react.tool.result ok',
  ]);
});
