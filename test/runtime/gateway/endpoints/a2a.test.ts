import { Role, TaskState } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { restartTool } from '../../engine/calls/parked-tools.ts';
import { openServedAgent } from './served-agent.ts';

type Served = Awaited<ReturnType<typeof openServedAgent>>;

const path = '/api/a2a/dev/dev/desk/main';

async function openClient(served: Served) {
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl: fetch })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl: fetch }),
  });
  return new ClientFactory(options).createFromUrl(`${served.url(path)}/`);
}

type More = { readonly contextId?: string; readonly taskId?: string; readonly data?: unknown };

function say(text: string, messageId: string, { contextId = '', taskId = '', data }: More = {}) {
  const of = { metadata: undefined, filename: '', mediaType: '' };
  const words = { content: { $case: 'text' as const, value: text }, ...of };
  const facts = { content: { $case: 'data' as const, value: data }, ...of };
  const message = {
    ...{ messageId, contextId, taskId, role: Role.ROLE_USER, metadata: undefined },
    ...{ parts: data === undefined ? [words] : [facts], extensions: [], referenceTaskIds: [] },
  };
  return { tenant: '', message, configuration: undefined, metadata: undefined };
}

const Task = z.looseObject({
  id: z.string(),
  contextId: z.string(),
  status: z.looseObject({ state: z.number() }),
  artifacts: z.array(
    z.looseObject({
      artifactId: z.string(),
      parts: z.array(z.looseObject({ content: z.looseObject({ value: z.unknown() }) })),
    }),
  ),
});

function answerOf(task: unknown): unknown {
  return Task.parse(task).artifacts.find(({ artifactId }) => artifactId === 'answer')?.parts[0]
    ?.content.value;
}

const sum = { call: { tool: 'math.add', input: { a: 1, b: 2 } } };
const restart = { call: { tool: 'service.restart', input: { service: 'checkout' } } };

// proves: endpoints.a2a, endpoints.one-conversation
test('the official client reads the card, sends a message and gets the task with its answer', async () => {
  await using served = await openServedAgent([sum, { answer: 'It is 3.' }]);
  const client = await openClient(served);
  const task = await client.sendMessage(say('What is 1 + 2?', 'm1', { contextId: 'context_1' }));
  expect(task).toMatchObject({
    contextId: 'context_1',
    status: { state: TaskState.TASK_STATE_COMPLETED },
  });
  expect(answerOf(task)).toBe('It is 3.');
  const again = await client.sendMessage(say('What is 1 + 2?', 'm1', { contextId: 'context_1' }));
  expect(Task.parse(again).id).toBe(Task.parse(task).id);
  const { id } = Task.parse(task);
  expect(answerOf(await client.getTask({ tenant: '', id }))).toBe('It is 3.');
  const list: unknown = await (await fetch(served.url('/conversations/dev/dev'))).json();
  expect(list).toMatchObject({ items: [{ id: 'context_1' }] });
});

// proves: endpoints.a2a
test('a stream has the task, the answer in pieces, and ends with its status', async () => {
  await using served = await openServedAgent([sum, { answer: 'It is 3, I think.' }]);
  const client = await openClient(served);
  const cases: string[] = [];
  let text = '';
  let state = 0;
  for await (const { payload } of client.sendMessageStream(say('What is 1 + 2?', 'm1'))) {
    cases.push(payload?.$case ?? '');
    if (payload?.$case === 'statusUpdate') state = payload.value.status?.state ?? 0;
    if (payload?.$case !== 'artifactUpdate') continue;
    const value: unknown = payload.value.artifact?.parts[0]?.content?.value;
    text = payload.value.append ? text + String(value) : String(value);
  }
  expect(cases[0]).toBe('task');
  expect([text, state]).toEqual(['It is 3, I think.', TaskState.TASK_STATE_COMPLETED]);
});

// proves: endpoints.a2a-input
test('a task that needs an approval requires input, and a message to it decides', async () => {
  const tool = restartTool();
  await using served = await openServedAgent([restart, { answer: 'Done.' }], { tools: [tool] });
  const client = await openClient(served);
  const waiting = Task.parse(await client.sendMessage(say('Restart', 'm1')));
  expect(waiting.status.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  const { id: taskId, contextId } = waiting;
  const answer = say('', 'm2', { taskId, contextId, data: { allow: true } });
  expect(answerOf(await client.sendMessage(answer))).toBe('Done.');
  expect(tool.runs).toEqual(['checkout']);
  await expect(client.sendMessage(say('More', 'm3', { taskId, contextId }))).rejects.toThrow();
});

test('a task is cancelled, and a client that subscribes sees its end', async () => {
  await using served = await openServedAgent([
    { thinking: 'Long', hold: 'here', answer: 'No.' },
    { answer: 'Stopped.' },
  ]);
  const client = await openClient(served);
  const request = say('Work', 'm1');
  const configuration = {
    ...{ acceptedOutputModes: [], taskPushNotificationConfig: undefined },
    returnImmediately: true,
  };
  const { id } = Task.parse(await client.sendMessage({ ...request, configuration }));
  await served.model.held('here');
  const watching = (async () => {
    const states: unknown[] = [];
    for await (const { payload } of client.resubscribeTask({ tenant: '', id })) {
      if (payload?.$case === 'statusUpdate') states.push(payload.value.status?.state);
    }
    return states.at(-1);
  })();
  const cancelled = await client.cancelTask({ tenant: '', id, metadata: undefined });
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  expect(await watching).toBe(TaskState.TASK_STATE_CANCELED);
});

// proves: endpoints.a2a
test('clients of version 0.3 send and get its words', async () => {
  await using served = await openServedAgent([{ answer: 'Hello.' }, { answer: 'Again.' }]);
  const message = {
    ...{ kind: 'message', role: 'user', messageId: 'm1', contextId: 'context_1' },
    parts: [{ kind: 'text', text: 'Hi' }],
  };
  const request = { jsonrpc: '2.0', id: 7, method: 'message/send', params: { message } };
  const sent: unknown = await (await served.post(path, request)).json();
  expect(sent).toMatchObject({
    ...{ jsonrpc: '2.0', id: 7 },
    result: {
      ...{ kind: 'task', contextId: 'context_1', status: { state: 'completed' } },
      artifacts: [{ parts: [{ kind: 'text', text: 'Hello.' }] }],
    },
  });
  const params = { message: { ...message, messageId: 'm2' } };
  const stream = await served.post(path, { ...request, method: 'message/stream', params });
  const events = (await stream.text()).split('\n').filter((line) => line.startsWith('data: '));
  expect(JSON.parse(events.at(-1)?.slice('data: '.length) ?? '')).toMatchObject({
    result: { kind: 'status-update', status: { state: 'completed' }, final: true },
  });
});

// proves: endpoints.a2a
test('errors have the codes of the protocol', async () => {
  await using served = await openServedAgent([]);
  const code = async (body: unknown, at = path) => {
    const answer: unknown = await (await served.post(at, body)).json();
    return z.looseObject({ error: z.looseObject({ code: z.number() }) }).parse(answer).error.code;
  };
  const call = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params });
  expect(await code('{nope')).toBe(-32_700);
  expect(await code({ id: 1 })).toBe(-32_600);
  expect(await code(call('Unknown', {}))).toBe(-32_601);
  expect(await code(call('SendMessage', {}))).toBe(-32_602);
  expect(await code(call('GetTask', { id: 'none' }))).toBe(-32_001);
  for (const action of ['Create', 'Get', 'Delete'])
    expect(await code(call(`${action}TaskPushNotificationConfig`, {}))).toBe(-32_003);
  expect(await code(call('ListTaskPushNotificationConfigs', {}))).toBe(-32_003);
  for (const action of ['set', 'get', 'list', 'delete'])
    expect(await code(call(`tasks/pushNotificationConfig/${action}`, {}))).toBe(-32_003);
  const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Hi' }] };
  const push = { taskPushNotificationConfig: { url: 'http://127.0.0.1/' } };
  expect(await code(call('SendMessage', { message, configuration: push }))).toBe(-32_003);
  const card = await fetch(served.url(`${path}/.well-known/agent-card.json`));
  expect(await card.json()).toMatchObject({
    supportedInterfaces: [{ protocolVersion: '1.0' }, { protocolVersion: '0.3' }],
    capabilities: { streaming: true, pushNotifications: false },
    protocolVersion: '0.3.0',
  });
});

// proves: endpoints.a2a-list
test('a client lists the tasks of a context, newest first, a page at a time', async () => {
  await using served = await openServedAgent([{ answer: 'One.' }, { answer: 'Two.' }]);
  const client = await openClient(served);
  for (const id of ['m1', 'm2']) await client.sendMessage(say('Hi', id, { contextId: 'ctx_1' }));
  const ask = async (more: object) => {
    const params = { contextId: 'ctx_1', includeArtifacts: true, ...more };
    const body = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params };
    return Listed.parse(await (await served.post(path, body)).json()).result;
  };
  const all = await ask({});
  expect(all).toMatchObject({ totalSize: 2, nextPageToken: '' });
  expect(JSON.stringify(all.tasks[0])).toContain('Two.');
  const first = await ask({ pageSize: 1 });
  const second = await ask({ pageSize: 1, pageToken: first.nextPageToken });
  expect([...first.tasks, ...second.tasks]).toEqual(all.tasks);
  expect((await ask({ status: 'TASK_STATE_FAILED' })).tasks).toEqual([]);
  expect((await ask({ contextId: 'ctx_none' })).tasks).toEqual([]);
});

const Listed = z.object({
  result: z.looseObject({
    tasks: z.array(z.looseObject({ id: z.string() })),
    nextPageToken: z.string(),
  }),
});

// proves: endpoints.a2a-list
test('push notifications are refused as the protocol says, with what to do instead', async () => {
  await using served = await openServedAgent([]);
  const method = 'CreateTaskPushNotificationConfig';
  const response = await served.post(path, { jsonrpc: '2.0', id: 1, method, params: {} });
  expect(await response.json()).toMatchObject({ error: { code: -32_003 } });
});
