import { Client, type StreamMode } from '@langchain/langgraph-sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { locateTool, restartTool } from '../../engine/calls/parked-tools.ts';
import { openServedAgent } from './served-agent.ts';

type Served = Awaited<ReturnType<typeof openServedAgent>>;
type Part = { readonly id?: string; readonly event: string; readonly data: unknown };

function openClient(served: Served, fetch?: typeof globalThis.fetch): Client {
  const callerOptions = { maxRetries: 0, ...(fetch ? { fetch } : {}) };
  return new Client({ apiUrl: new URL(served.url('/')).origin, apiKey: null, callerOptions });
}

async function all(stream: AsyncIterable<unknown>): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part as Part);
  return parts;
}

const Values = z.looseObject({
  messages: z.array(z.looseObject({ id: z.string(), type: z.string(), content: z.string() })),
});
function valuesIn(parts: readonly Part[]) {
  return Values.parse(parts.findLast(({ event }) => event === 'values')?.data);
}

const say = (content: string, id?: string) => ({
  messages: [{ type: 'human', content, ...(id === undefined ? {} : { id }) }],
});
const sum = { call: { tool: 'math.add', input: { a: 1, b: 2 } } };
const restart = { call: { tool: 'service.restart', input: { service: 'checkout' } } };
const locate = { call: { tool: 'browser.locate', input: {} } };

// proves: endpoints.langgraph, endpoints.one-conversation
test('a run streams values, updates and messages, and its thread keeps the state', async () => {
  await using served = await openServedAgent([sum, { answer: 'It is 3.' }, { answer: 'Again.' }]);
  const client = openClient(served);
  const thread = await client.threads.create({ threadId: 'thread_1' });
  expect(thread).toMatchObject({ thread_id: 'thread_1', status: 'idle' });
  const streamMode: StreamMode[] = ['values', 'updates', 'messages', 'messages-tuple'];
  const created: unknown[] = [];
  const parts = await all(
    client.runs.stream('thread_1', 'desk/main', {
      input: say('What is 1 + 2?', 'm1'),
      streamMode,
      onRunCreated: (run) => void created.push(run),
    }),
  );
  const [metadata] = parts;
  expect(metadata).toMatchObject({ event: 'metadata', data: { thread_id: 'thread_1' } });
  expect(created).toMatchObject([metadata?.data].map((data) => ({ run_id: idIn(data) })));
  expect(parts.at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } });
  const { messages } = valuesIn(parts);
  expect(messages.map(({ type, content }) => [type, content])).toEqual([
    ...[
      ['human', 'What is 1 + 2?'],
      ['ai', ''],
      ['tool', '3'],
      ['ai', 'It is 3.'],
    ],
  ]);
  const pieces = parts.filter(({ event }) => event === 'messages');
  const text = pieces
    .map(({ data }) => (data as [{ type: string; content: string }])[0])
    .filter(({ type }) => type === 'AIMessageChunk')
    .map(({ content }) => content);
  expect(text.join('')).toBe('It is 3.');
  expect(parts.map(({ event }) => event)).toContain('messages/partial');
  await all(client.runs.stream('thread_1', 'main', { input: say('And again?') }));
  const state = await client.threads.getState('thread_1');
  expect(Values.parse(state.values).messages).toHaveLength(6);
  expect(state.next).toEqual([]);
  const [latest] = await client.threads.getHistory('thread_1');
  expect(latest?.values).toEqual(state.values);
});

function idIn(data: unknown): string {
  return z.looseObject({ run_id: z.string() }).parse(data).run_id;
}

test('without a thread a run gets a new one, and wait returns its values', async () => {
  await using served = await openServedAgent([{ answer: 'One.' }, { answer: 'Two.' }]);
  const client = openClient(served);
  const parts = await all(client.runs.stream(null, 'main', { input: say('Hi') }));
  expect(valuesIn(parts).messages.at(-1)?.content).toBe('One.');
  const values = Values.parse(await client.runs.wait(null, 'main', { input: say('Hi') }));
  expect(values.messages.at(-1)?.content).toBe('Two.');
});

// proves: endpoints.langgraph-interrupt
test('an approval interrupts the run, and a command resumes it', async () => {
  const tool = restartTool();
  await using served = await openServedAgent([restart, { answer: 'Done.' }], { tools: [tool] });
  const client = openClient(served);
  const streamMode: StreamMode[] = ['values', 'updates'];
  const first = await all(
    client.runs.stream('thread_1', 'main', {
      input: say('Restart'),
      streamMode,
      ifNotExists: 'create',
    }),
  );
  const update = first.findLast(({ event }) => event === 'updates');
  expect(update?.data).toMatchObject({ __interrupt__: [{ value: { type: 'approval' } }] });
  expect(first.at(-1)).toMatchObject({ event: 'end', data: { status: 'interrupted' } });
  expect(await client.threads.get('thread_1')).toMatchObject({ status: 'interrupted' });
  const state = await client.threads.getState('thread_1');
  expect(state.tasks[0]?.interrupts).toHaveLength(1);
  const second = await all(
    client.runs.stream('thread_1', 'main', { command: { resume: { allow: true } }, streamMode }),
  );
  expect(second[0]).toMatchObject({ event: 'metadata' });
  expect(valuesIn(second).messages.at(-1)?.content).toBe('Done.');
  expect(tool.runs).toEqual(['checkout']);
  expect(await client.threads.get('thread_1')).toMatchObject({ status: 'idle', interrupts: {} });
});

test('LangChain decisions reject a call, and a result answers a call of the client', async () => {
  const tool = restartTool();
  await using served = await openServedAgent(
    [restart, { answer: 'As you say.' }, locate, { answer: 'In Lisbon.' }],
    { tools: [tool, locateTool()] },
  );
  const client = openClient(served);
  const waiting = await client.runs.wait('thread_1', 'main', { input: say('Restart') });
  expect(waiting).toHaveProperty('__interrupt__');
  const command = { resume: { decisions: [{ type: 'reject' }] } };
  const rejected = Values.parse(await client.runs.wait('thread_1', 'main', { command }));
  expect(rejected.messages.at(-1)?.content).toBe('As you say.');
  expect(tool.runs).toEqual([]);
  await client.runs.wait('thread_1', 'main', { input: say('Where am I?') });
  const found = { resume: { lat: 38.7, lon: -9.1 } };
  const located = Values.parse(await client.runs.wait('thread_1', 'main', { command: found }));
  expect(located.messages.at(-1)?.content).toBe('In Lisbon.');
});

// proves: endpoints.langgraph-resume
test('a stream that is cut goes on after its last event, without loss or repetition', async () => {
  await using served = await openServedAgent([sum, { answer: 'It is 3, I think.' }]);
  let cuts = 0;
  const cutting: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (!isStream || !response.body || cuts >= 1) return response;
    cuts += 1;
    return new Response(firstEvents(response.body, 2), response);
  };
  const client = openClient(served, cutting);
  const parts = await all(
    client.runs.stream('thread_1', 'main', {
      input: say('What is 1 + 2?', 'm1'),
      streamMode: ['values', 'messages-tuple'],
      streamResumable: true,
    }),
  );
  expect(cuts).toBe(1);
  const whole = await all(
    openClient(served).runs.joinStream('thread_1', idIn(parts[0]?.data), {
      streamMode: ['values', 'messages-tuple'],
    }),
  );
  expect(parts.filter(({ event }) => event !== 'messages').map(({ data }) => data)).toEqual(
    whole.filter(({ event }) => event !== 'messages').map(({ data }) => data),
  );
});

/** The first events of a stream, which then breaks. */
function firstEvents(body: ReadableStream<Uint8Array>, count: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isSent = false;
  return new ReadableStream({
    async pull(controller) {
      if (isSent) return controller.error(new TypeError('terminated'));
      let text = '';
      let isDone = false;
      while (!isDone && text.split('\n\n').length <= count) {
        const { value, done } = await reader.read();
        text += value ? new TextDecoder().decode(value) : '';
        isDone = done;
      }
      const events = text.split('\n\n').slice(0, count).join('\n\n');
      controller.enqueue(new TextEncoder().encode(`${events}\n\n`));
      isSent = true;
      await reader.cancel();
    },
  });
}

test('cancel stops a run, and a new message may interrupt one', async () => {
  await using served = await openServedAgent([
    { thinking: 'Long', hold: 'first', answer: 'No.' },
    { answer: 'Stopped.' },
    { thinking: 'Long', hold: 'second', answer: 'No.' },
    { answer: 'Steered.' },
  ]);
  const client = openClient(served);
  const run = await client.runs.create('thread_1', 'main', { input: say('Work') });
  await served.model.held('first');
  expect(await client.threads.get('thread_1')).toMatchObject({ status: 'busy' });
  await client.runs.cancel('thread_1', run.run_id, true);
  expect(await client.threads.get('thread_1')).toMatchObject({ status: 'idle' });
});

// proves: endpoints.langgraph
test('errors are a detail', async () => {
  await using served = await openServedAgent([]);
  const body = { assistant_id: 'nobody', input: say('Hi') };
  const unknown = await served.post('/runs/stream', body);
  expect([unknown.status, await unknown.json()]).toEqual([
    404,
    { code: 'not_found', detail: 'agent "nobody" not found' },
  ]);
  const wrong = await served.post('/runs/stream', { assistant_id: 'main', input: 3 });
  expect([wrong.status, await wrong.json()]).toMatchObject([400, { code: 'invalid_input' }]);
  const thread = await fetch(served.url('/threads/none'));
  expect([thread.status, await thread.json()]).toMatchObject([404, { code: 'not_found' }]);
  await served.post('/threads', { thread_id: 'thread_1' });
  const again = await served.post('/threads', { thread_id: 'thread_1' });
  expect([again.status, await again.json()]).toMatchObject([409, { code: 'conflict' }]);
});
