import { HttpAgent } from '@ag-ui/client';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { locateTool, restartTool } from '../../engine/calls/parked-tools.ts';
import { allEvents, type ServerEvent } from './events.ts';
import { openServedAgent } from './served-agent.ts';

type Served = Awaited<ReturnType<typeof openServedAgent>>;

function openAgent(served: Served, path = '/api/ag-ui/dev/dev/main'): HttpAgent {
  return new HttpAgent({ url: served.url(path), threadId: 'thread_1' });
}

let messages = 0;
async function say(agent: HttpAgent, content: string, more: object = {}) {
  messages += 1;
  agent.addMessage({ id: `m${messages}`, role: 'user', content });
  await agent.runAgent(more);
}

function lastText({ messages: all }: HttpAgent): unknown {
  return all.findLast(({ role }) => role === 'assistant')?.content;
}

const restart = { call: { tool: 'service.restart', input: { service: 'checkout' } } };
const error = z.object({ type: z.literal('RUN_ERROR'), message: z.string(), code: z.string() });

// proves: endpoints.ag-ui
test('a client gets thinking, a tool call with its result, and the answer', async () => {
  await using served = await openServedAgent([
    { thinking: 'Adding.', call: { tool: 'math.add', input: { a: 1, b: 2 } } },
    { answer: 'It is 3.' },
    { answer: 'You asked for 1 + 2.' },
  ]);
  const agent = openAgent(served, '/api/ag-ui/dev/dev/desk/main');
  await say(agent, 'What is 1 + 2?');
  const roles = agent.messages.map(({ role }) => role);
  expect(roles).toEqual(['user', 'reasoning', 'assistant', 'tool', 'assistant']);
  expect(lastText(agent)).toBe('It is 3.');
  await say(agent, 'What did I ask?');
  expect(lastText(agent)).toBe('You asked for 1 + 2.');
  const list: unknown = await (await fetch(served.url('/conversations/dev/dev'))).json();
  expect(list).toMatchObject({ items: [{ id: 'thread_1' }] });
});

// proves: endpoints.ag-ui
test('an approval interrupts the run, and the next run resumes it', async () => {
  const tool = restartTool();
  await using served = await openServedAgent([restart, { answer: 'Done.' }], { tools: [tool] });
  const agent = openAgent(served);
  await say(agent, 'Restart checkout');
  const [interrupt] = agent.pendingInterrupts;
  expect(interrupt).toMatchObject({ reason: 'approval', message: 'Restart?' });
  expect(tool.runs).toEqual([]);
  const interruptId = interrupt?.id ?? '';
  await agent.runAgent({
    resume: [{ interruptId, status: 'resolved', payload: { approved: true } }],
  });
  expect(tool.runs).toEqual(['checkout']);
  expect(lastText(agent)).toBe('Done.');
});

test('a cancelled interrupt denies the call', async () => {
  const tool = restartTool();
  await using served = await openServedAgent([restart, { answer: 'As you say.' }], {
    tools: [tool],
  });
  const agent = openAgent(served);
  await say(agent, 'Restart checkout');
  const interruptId = agent.pendingInterrupts[0]?.id ?? '';
  await agent.runAgent({ resume: [{ interruptId, status: 'cancelled' }] });
  expect([tool.runs, lastText(agent)]).toEqual([[], 'As you say.']);
});

// proves: endpoints.ag-ui
test('tools that the run brings are called by the client, and their results continue the turn', async () => {
  await using served = await openServedAgent([
    { call: { tool: 'client.getColor', input: { element: 'h1' } } },
    { answer: 'It is blue.' },
  ]);
  const agent = openAgent(served);
  const parameters = { type: 'object', properties: { element: { type: 'string' } } };
  const tools = [{ name: 'getColor', description: 'The color of an element.', parameters }];
  await say(agent, 'Which color?', { tools });
  const asked = agent.messages.at(-1);
  const call = asked?.role === 'assistant' ? asked.toolCalls?.[0] : undefined;
  expect(call?.function).toEqual({ name: 'getColor', arguments: '{"element":"h1"}' });
  agent.addMessage({ id: 'r1', role: 'tool', toolCallId: call?.id ?? '', content: 'blue' });
  await agent.runAgent({ tools });
  expect(lastText(agent)).toBe('It is blue.');
  expect(agent.messages.filter(({ role }) => role === 'tool')).toHaveLength(1);
});

test('a client tool of the bundle is pending when the run ends', async () => {
  await using served = await openServedAgent(
    [{ call: { tool: 'browser.locate', input: {} } }, { answer: 'In Bonn.' }],
    { tools: [locateTool()] },
  );
  const agent = openAgent(served);
  await say(agent, 'Where am I?');
  const asked = agent.messages.at(-1);
  const toolCallId = (asked?.role === 'assistant' && asked.toolCalls?.[0]?.id) || '';
  agent.addMessage({ id: 'r1', role: 'tool', toolCallId, content: 'Bonn' });
  await agent.runAgent();
  expect(lastText(agent)).toBe('In Bonn.');
});

/** The events of a body, whose connection is cut after the given number of them. */
async function cutAfter(response: Response, count: number): Promise<readonly ServerEvent[]> {
  const all = await allEvents(response);
  return all.slice(0, count);
}

// proves: endpoints.resume
test('a run whose connection is cut after any event goes on with the same request', async () => {
  const tool = restartTool();
  const replies = [
    { thinking: 'Adding.', call: { tool: 'math.add', input: { a: 1, b: 2 } } },
    { answer: 'It is 3.' },
  ];
  await using served = await openServedAgent(replies);
  void tool;
  const message = { id: 'm1', role: 'user', content: 'What is 1 + 2?' };
  const body = {
    threadId: 'thread_1',
    runId: 'run_1',
    messages: [message],
    tools: [],
    context: [],
  };
  const post = (headers = {}) => served.post('/api/ag-ui/dev/dev/main', body, headers);
  await allEvents(await post());
  const whole = await allEvents(await post());
  for (let at = 1; at < whole.length; at += 1) {
    const first = await cutAfter(await post(), at);
    const rest = await allEvents(await post({ 'last-event-id': first.at(-1)?.id ?? '' }));
    expect([...first, ...rest].map(({ data }) => data)).toEqual(whole.map(({ data }) => data));
  }
});

// proves: endpoints.ag-ui
test('a file of a message is inspected as everywhere, and context is sent with the text', async () => {
  await using served = await openServedAgent([{ answer: 'A list.' }]);
  const agent = openAgent(served);
  const value = Buffer.from('a,b\n1,2\n').toString('base64');
  const source = { type: 'data' as const, value, mimeType: 'text/csv' };
  agent.addMessage({
    id: 'm1',
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'document', source },
    ],
  });
  await agent.runAgent({ context: [{ description: 'Page', value: 'Rivers' }] });
  expect(lastText(agent)).toBe('A list.');
  const request = JSON.stringify(served.model.requests[0]);
  expect([request.includes('file.csv'), request.includes('Page: Rivers')]).toEqual([true, true]);
});

// proves: endpoints.errors
test('what is refused before a run has its status and a run error, and a failed turn ends with one', async () => {
  await using served = await openServedAgent([]);
  const agent = openAgent(served);
  const failures: string[] = [];
  agent.addMessage({ id: 'm1', role: 'user', content: 'Hi' });
  await agent.runAgent({}, { onRunErrorEvent: ({ event }) => void failures.push(event.message) });
  expect(failures).toEqual([expect.stringContaining('script')]);
  const body = { threadId: 'c', runId: 'r', messages: [] };
  for (const [path, sent, status] of [
    ['/api/ag-ui/dev/dev/nobody', body, 404],
    ['/api/ag-ui/dev/other/main', body, 403],
    ['/api/ag-ui/dev/dev/main', body, 400],
    ['/api/ag-ui/dev/dev/main', '{', 400],
    ['/api/ag-ui/dev/dev/main', { ...body, threadId: 'no good' }, 400],
    [
      '/api/ag-ui/dev/dev/main',
      { ...body, resume: [{ interruptId: 'x', status: 'resolved' }] },
      404,
    ],
  ] as const) {
    const response = await served.post(path, sent);
    expect([path, response.status]).toEqual([path, status]);
    error.parse(await response.json());
  }
});
