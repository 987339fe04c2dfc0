import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { connect } from '../../../../../runtime/client/index.ts';
import { gate, type McpStage, openMcpStage } from './mcp-kit.ts';

let stage: McpStage | undefined;
afterEach(() => stage?.[Symbol.asyncDispose]());

async function open(...replies: Parameters<typeof openMcpStage>) {
  stage = await openMcpStage(...replies);
  return stage;
}

/** Holds the calls of the slow tool until it is called. */
function hold(): () => void {
  let release: () => void = () => undefined;
  gate.wait = new Promise<void>((resolve) => {
    release = resolve;
  });
  return release;
}

// proves: mcp.expose, mcp-server
test('an endpoint lists its tools, its agents as tools, its skills as prompts and its knowledge', async () => {
  const { connect: join } = await open();
  const { client } = await join();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    ...['main', 'desk.draw', 'desk.fail', 'desk.order', 'desk.report', 'desk.restart'],
    ...['desk.slow', 'math.add'],
  ]);
  const [agent] = tools;
  expect(agent?.inputSchema).toMatchObject({ required: ['prompt'] });
  expect(tools.at(-1)).toMatchObject({
    annotations: { readOnlyHint: true },
    outputSchema: { type: 'object' },
  });
  const { prompts } = await client.listPrompts();
  expect(prompts.at(-1)).toEqual({ name: 'tips', description: 'Tips for reports.' });
  const { messages } = await client.getPrompt({ name: 'tips' });
  expect(messages[0]?.content).toMatchObject({ text: 'Write short reports.' });
  const { contents } = await client.readResource({ uri: 'ks:guide.md' });
  expect(contents[0]).toMatchObject({ text: '# Guide', mimeType: 'text/markdown' });
});

// proves: mcp-server-turn, direct.call
test('a call is a turn on the log of its session, and needs no model', async () => {
  const { connect: join, runtime } = await open();
  const { client, transport } = await join();
  const result = await client.callTool({ name: 'math.add', arguments: { a: 2, b: 3 } });
  expect(result).toMatchObject({ structuredContent: { sum: 5 } });
  expect(result.content).toEqual([{ type: 'text', text: '{"sum":5}' }]);
  await using watcher = connect({ url: runtime.url, user: 'ann' });
  const { sessionId = '' } = transport;
  const types: string[] = [];
  for await (const { type } of watcher.conversation(sessionId).events()) {
    types.push(type);
    if (type === 'chat.complete') break;
  }
  expect(types).toContain('chat.tool');
  expect(runtime.model.requests).toEqual([]);
});

test('a tool that refuses, and bad input, are results that say so', async () => {
  const { connect: join } = await open();
  const { client } = await join();
  const refused = await client.callTool({ name: 'desk.fail', arguments: {} });
  expect(refused).toMatchObject({
    isError: true,
    content: [{ text: 'closed: The desk is closed.' }],
  });
  const wrong = await client.callTool({ name: 'math.add', arguments: { a: 'x' } });
  expect(wrong.isError).toBe(true);
  await expect(client.callTool({ name: 'no.tool', arguments: {} })).rejects.toMatchObject({
    code: -32_602,
  });
});

// proves: mcp-server-files
test('files that a call has produced are resources of the session', async () => {
  const { connect: join } = await open();
  const { client } = await join();
  const progress: string[] = [];
  const { content } = await client.callTool(
    { name: 'desk.report', arguments: { title: 'May' } },
    { onprogress: ({ message = '' }) => void progress.push(message) },
  );
  expect(progress).toContain('writing May');
  const [, embedded, link] = z
    .array(z.looseObject({ type: z.string(), uri: z.string().optional() }))
    .parse(content);
  const text = { uri: link?.uri, mimeType: 'text/plain', text: '# May' };
  expect(embedded).toEqual({ type: 'resource', resource: text });
  expect(link).toMatchObject({ type: 'resource_link', name: 'report.txt' });
  const { contents } = await client.readResource({ uri: link?.uri ?? '' });
  expect(contents[0]).toMatchObject({ text: '# May' });
  const { resources } = await client.listResources();
  expect(resources).toMatchObject([{ uri: link?.uri, name: 'report.txt' }]);
  const { client: other } = await join({ user: 'bob' });
  await expect(other.readResource({ uri: link?.uri ?? '' })).rejects.toThrow('not found');
});

// proves: mcp-server-agent
test('an agent is a tool that takes a prompt, and later calls continue its conversation', async () => {
  const { connect: join, runtime } = await open([{ answer: 'Hello.' }, { answer: 'Again.' }]);
  const { client } = await join();
  const first = await client.callTool({ name: 'main', arguments: { prompt: 'Hi' } });
  expect(first.content).toEqual([{ type: 'text', text: 'Hello.' }]);
  const second = await client.callTool({ name: 'main', arguments: { prompt: 'More' } });
  expect(second.content).toEqual([{ type: 'text', text: 'Again.' }]);
  expect(runtime.model.requests[1]?.text).toContain('Hello.');
});

test('calls of one session run one after the other, each as a turn of its own', async () => {
  const { connect: join } = await open();
  const { client } = await join();
  const sums = await Promise.all(
    [1, 2, 3].map((n) => client.callTool({ name: 'math.add', arguments: { a: n, b: n } })),
  );
  expect(sums.map(({ structuredContent }) => structuredContent)).toEqual([
    ...[{ sum: 2 }, { sum: 4 }, { sum: 6 }],
  ]);
});

// proves: mcp-server-resume
test('a call survives a cut connection', async () => {
  const { connect: join } = await open();
  const release = hold();
  let cuts = 0;
  const cutting: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    // The stream of the session has no answer to a call.
    const isOfCall = init?.method === 'POST' || new Headers(init?.headers).has('last-event-id');
    if (!isStream || !isOfCall || !response.body || cuts >= 2) return response;
    cuts += 1;
    if (cuts === 2) release();
    return new Response(firstChunk(response.body), response);
  };
  const { client } = await join({ fetch: cutting });
  const progress: number[] = [];
  const result = await client.callTool(
    { name: 'desk.slow', arguments: {} },
    { onprogress: (news) => void progress.push(news.progress) },
  );
  expect(result.content).toEqual([{ type: 'text', text: 'slow' }]);
  expect(cuts).toBe(2);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  expect(new Set(progress).size).toBe(progress.length);
});

/** The beginning of a stream, which then breaks. */
function firstChunk(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async start(controller) {
      const { value } = await reader.read();
      if (value) controller.enqueue(value);
      await reader.cancel();
      controller.close();
    },
  });
}

// proves: mcp-server-resume
test('a call that another worker takes over is answered once, by that worker', async () => {
  const held = { thinking: 'Hm', hold: 'here', answer: 'Lost.' };
  const { connect: join, runtime } = await open([held, { answer: 'After.' }]);
  const { client } = await join();
  const calling = client.callTool({ name: 'main', arguments: { prompt: 'Hi' } });
  await runtime.model.held('here');
  await runtime.crash();
  expect((await calling).content).toEqual([{ type: 'text', text: 'After.' }]);
});

test('a client that cancels a call stops its turn', async () => {
  const { connect: join, runtime } = await open();
  hold();
  const { client, transport } = await join();
  const stop = new AbortController();
  const calling = client.callTool(
    { name: 'desk.slow', arguments: {} },
    { signal: stop.signal, onprogress: () => stop.abort('no longer needed') },
  );
  await expect(calling).rejects.toThrow('no longer needed');
  await using watcher = connect({ url: runtime.url, user: 'ann' });
  for await (const event of watcher.conversation(transport.sessionId ?? '').events()) {
    if (event.type !== 'chat.complete') continue;
    expect(event.data).toMatchObject({ reason: 'interrupted' });
    break;
  }
});

test('clients of the version of 2026 call without a session', async () => {
  const { connect: join } = await open([{ answer: 'Hello.' }]);
  const { client } = await join({ version: 'auto' });
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  const sum = await client.callTool({ name: 'math.add', arguments: { a: 2, b: 3 } });
  expect(sum.structuredContent).toEqual({ sum: 5 });
  const answer = await client.callTool({ name: 'main', arguments: { prompt: 'Hi' } });
  expect(answer.content).toEqual([{ type: 'text', text: 'Hello.' }]);
});
