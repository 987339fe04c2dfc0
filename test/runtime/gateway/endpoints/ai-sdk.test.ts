import { Chat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  safeValidateUIMessages,
  type UIMessage,
} from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { locateTool, restartTool } from '../../engine/calls/parked-tools.ts';
import { ask } from '../stage.ts';
import { allEvents } from './events.ts';
import { openServedAgent } from './served-agent.ts';

type Served = Awaited<ReturnType<typeof openServedAgent>>;

function openChat(
  served: Served,
  more: Partial<ConstructorParameters<typeof Chat<UIMessage>>[0]> = {},
) {
  const transport = new DefaultChatTransport<UIMessage>({
    api: served.url('/api/ai/dev/dev/main'),
  });
  return new Chat<UIMessage>({ id: 'chat_1', transport, ...more });
}

function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The id of the approval that a tool part waits for. */
function approvalIn(part: UIMessage['parts'][number] | undefined): string {
  return z.object({ approval: z.object({ id: z.string() }) }).parse(part).approval.id;
}

async function expectValid(chat: Chat<UIMessage>): Promise<void> {
  expect(await safeValidateUIMessages({ messages: chat.messages })).toMatchObject({
    success: true,
  });
}

const restart = { call: { tool: 'service.restart', input: { service: 'checkout' } } };
const locate = { call: { tool: 'browser.locate', input: {} } };
const error = z.object({ type: z.literal('error'), errorText: z.string(), code: z.string() });

// proves: endpoints.ai-sdk
test('a chat gets reasoning, a tool call with its result, and the answer', async () => {
  await using served = await openServedAgent([
    { thinking: 'Adding.', call: { tool: 'math.add', input: { a: 1, b: 2 } } },
    { answer: 'It is 3.' },
  ]);
  const chat = openChat(served);
  await chat.sendMessage({ text: 'What is 1 + 2?' });
  expect(chat.status).toBe('ready');
  expect(chat.lastMessage?.parts.map(({ type }) => type)).toEqual([
    ...['step-start', 'reasoning', 'dynamic-tool', 'step-start', 'text'],
  ]);
  expect(chat.lastMessage?.parts[2]).toMatchObject({ state: 'output-available', output: 3 });
  expect(textOf(chat.lastMessage)).toBe('It is 3.');
  await expectValid(chat);
});

// proves: endpoints.one-conversation
test('the chat is the conversation with its id, and a repeated message gets the first answer', async () => {
  await using served = await openServedAgent([{ answer: 'One.' }, { answer: 'Two.' }]);
  const body = {
    id: 'chat_1',
    messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
  };
  const first = await allEvents(await served.post('/api/ai/dev/dev/desk/main', body));
  const second = await allEvents(await served.post('/api/ai/dev/dev/desk/main', body));
  const text = (events: typeof first) =>
    events.flatMap(({ data }) => (data.includes('text-delta') ? [JSON.parse(data)] : []));
  const joined = (events: typeof first) =>
    text(events)
      .map(({ delta }: { delta: string }) => delta)
      .join('');
  expect([joined(first), joined(second)]).toEqual(['One.', 'One.']);
  const list: unknown = await (await fetch(served.url('/conversations/dev/dev'))).json();
  expect(list).toMatchObject({ items: [{ id: 'chat_1' }] });
});

// proves: endpoints.ai-sdk
test('an approval ends the stream, and its answer continues the same message', async () => {
  const tool = restartTool();
  await using served = await openServedAgent([restart, { answer: 'Done.' }], { tools: [tool] });
  const chat = openChat(served, {
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  await chat.sendMessage({ text: 'Restart checkout' });
  const part = chat.lastMessage?.parts.find(({ type }) => type === 'dynamic-tool');
  expect(part).toMatchObject({
    state: 'approval-requested',
    approval: { requestReason: 'Restart?' },
  });
  const id = approvalIn(part);
  await chat.addToolApprovalResponse({ id, approved: true });
  await expect.poll(() => [chat.status, textOf(chat.lastMessage)]).toEqual(['ready', 'Done.']);
  expect(tool.runs).toEqual(['checkout']);
  expect(chat.messages).toHaveLength(2);
  await expectValid(chat);
});

test('a denied call does not run, and its part says so', async () => {
  const tool = restartTool();
  await using served = await openServedAgent([restart, { answer: 'As you say.' }], {
    tools: [tool],
  });
  const chat = openChat(served, {
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  await chat.sendMessage({ text: 'Restart checkout' });
  const part = chat.lastMessage?.parts.find(({ type }) => type === 'dynamic-tool');
  const id = approvalIn(part);
  await chat.addToolApprovalResponse({ id, approved: false });
  await expect
    .poll(() => [chat.status, textOf(chat.lastMessage)])
    .toEqual(['ready', 'As you say.']);
  expect(chat.lastMessage?.parts[1]).toMatchObject({ state: 'output-denied' });
  expect(tool.runs).toEqual([]);
  await expectValid(chat);
});

// proves: endpoints.ai-sdk
test('a tool of the client is called there, and its output continues the turn', async () => {
  await using served = await openServedAgent([locate, { answer: 'In Bonn.' }], {
    tools: [locateTool()],
  });
  const called: string[] = [];
  const chat = openChat(served, {
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall: ({ toolCall: { toolName: tool, toolCallId } }) => {
      called.push(tool);
      void chat.addToolOutput({ tool, toolCallId, output: 'Bonn' });
    },
  });
  await chat.sendMessage({ text: 'Where am I?' });
  await expect.poll(() => [chat.status, textOf(chat.lastMessage)]).toEqual(['ready', 'In Bonn.']);
  expect(called).toEqual(['browser.locate']);
  await expectValid(chat);
});

// proves: endpoints.resume
test('a client that comes back gets the running turn from its start, and 204 when none is running', async () => {
  await using served = await openServedAgent([{ answer: 'It is {{hold}}3.', hold: 'half' }]);
  const resumed = openChat(served);
  await resumed.resumeStream();
  expect([resumed.status, resumed.messages]).toEqual(['ready', []]);
  const chat = openChat(served);
  const sent = chat.sendMessage({ text: 'Sum?' });
  await served.model.held('half');
  const other = openChat(served);
  const watched = other.resumeStream();
  await expect.poll(() => textOf(other.lastMessage)).toBe('It is ');
  served.model.release('half');
  await Promise.all([sent, watched]);
  expect(textOf(other.lastMessage)).toBe('It is 3.');
  expect(other.lastMessage).toEqual(chat.lastMessage);
  const idle = await fetch(served.url('/api/ai/dev/dev/main/chat_1/stream'));
  expect(idle.status).toBe(204);
});

// proves: endpoints.ai-sdk
test('a message sent during a turn is answered by that turn, as a message of its own', async () => {
  await using served = await openServedAgent([
    { call: { tool: 'math.add', input: { a: 1, b: 2 } }, thinking: 'x', hold: 'call' },
    { answer: 'It is 3, in short.' },
  ]);
  const chat = openChat(served);
  const sent = chat.sendMessage({ text: 'Sum?' });
  await served.model.held('call');
  const message = { id: 'm2', role: 'user', parts: [{ type: 'text', text: 'In short.' }] };
  const response = await served.post('/api/ai/dev/dev/main', { id: 'chat_1', message });
  served.model.release('call');
  const [events] = await Promise.all([allEvents(response), sent]);
  const types = events.map(({ data }) => (data === '[DONE]' ? data : JSON.parse(data).type));
  expect(types.slice(0, 2)).toEqual(['start', 'start-step']);
  expect(types.slice(-2)).toEqual(['finish', '[DONE]']);
  expect(events.map(({ data }) => data).join('')).toContain('in short');
});

// proves: endpoints.ai-sdk
test('a file of a message is inspected as everywhere', async () => {
  await using served = await openServedAgent([{ answer: 'A list.' }]);
  const chat = openChat(served);
  const url = `data:text/csv;base64,${Buffer.from('a,b\n1,2\n').toString('base64')}`;
  const file = { type: 'file' as const, url, mediaType: 'text/csv', filename: 'a.csv' };
  await chat.sendMessage({ text: 'What is this?', files: [file] });
  expect(textOf(chat.lastMessage)).toBe('A list.');
  expect(JSON.stringify(served.model.requests[0])).toContain('a.csv');
  const wrong = {
    ...file,
    mediaType: 'image/png',
    filename: 'a.png',
    url: 'data:image/png;base64,AAAA',
  };
  await chat.sendMessage({ text: 'And this?', files: [wrong] });
  expect([chat.status, chat.error?.message]).toEqual(['error', expect.stringContaining('a.png')]);
});

// proves: endpoints.errors
test('what is refused before a turn is an error part, and a failed turn ends with one', async () => {
  await using served = await openServedAgent([]);
  const failing = openChat(served);
  await failing.sendMessage({ text: 'Hi' });
  expect(failing.error?.message).toContain('script');
  const message = { id: 'm', role: 'user', parts: [] };
  for (const [path, body, status] of [
    ['/api/ai/dev/dev/nobody', { id: 'c', message }, 404],
    ['/api/ai/dev/other/main', { id: 'c', message }, 403],
    ['/api/ai/dev/dev/main', { id: 'c', message }, 400],
    ['/api/ai/dev/dev/main', { id: 'no good', message }, 400],
    ['/api/ai/dev/dev/main', '{', 400],
    ['/api/ai/dev/dev/main', { id: 'c', message: { ...message, role: 'assistant' } }, 400],
  ] as const) {
    const response = await served.post(path, body);
    expect([path, response.status]).toEqual([path, status]);
    error.parse(await response.json());
  }
});

test('another watcher of the conversation sees what the chat sent', async () => {
  await using served = await openServedAgent([{ answer: 'Hello.' }]);
  await openChat(served).sendMessage({ text: 'Hi' });
  const status = await ask<{ ok: boolean; head: number }>(served.stage.connect(), 'conv_status', {
    conversation_id: 'chat_1',
  });
  expect(status).toMatchObject({ ok: true, state: 'idle' });
});
