import { Role, type StreamResponse, TaskState } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { DefaultChatTransport, type UIMessage, type UIMessageChunk } from 'ai';
import { expect, test } from 'vitest';
import { connect } from '../../../../../runtime/client/index.ts';
import { eventsOf } from '../events.ts';
import { endpointPath, openMcpStage } from '../mcp/mcp-kit.ts';
import { answer, expectCuts, message, openBehindProxy, slow } from './cut-turn.ts';
import { openCuttingProxy } from './cutting-proxy.ts';

/** A request that is cut before its response is sent again: messages and calls have ids, and are accepted once. */
const persistent: typeof fetch = async (input, init) => {
  for (;;) {
    try {
      return await fetch(input, init);
    } catch (error) {
      const isStopped = init?.signal?.aborted === true;
      if (isStopped || !(error instanceof TypeError)) throw error;
    }
  }
};

// proves: endpoints.proxy
test('the client over Socket.IO gets every piece of the answer once', async () => {
  await using world = await openBehindProxy();
  await using client = connect({ url: world.proxy.url });
  const conversation = client.conversation('conv_a');
  await conversation.send(message.text);
  let [text, whole] = ['', ''];
  for await (const event of conversation.events()) {
    if (event.type === 'chat.complete') whole = event.data.text;
    if (whole !== '') break;
    if (event.type !== 'chat.delta' || event.delta.marker !== 'answer') continue;
    expect(event.delta.offset).toBe(text.length);
    text += event.delta.text;
  }
  // What was not shown by the last cut is in the block.
  expect([whole, whole.slice(0, text.length)]).toEqual([answer, text]);
  await expectCuts(world, 2);
});

// proves: endpoints.proxy
test('the unmodified client of MCP gets the result of its call', async () => {
  await using stage = await openMcpStage([slow]);
  await using proxy = await openCuttingProxy(stage.runtime.url);
  const client = new Client({ name: 'test', version: '1' });
  const reconnectionOptions = {
    ...{ initialReconnectionDelay: 10, maxReconnectionDelay: 50 },
    ...{ reconnectionDelayGrowFactor: 1, maxRetries: 1_000 },
  };
  const address = new URL(endpointPath, proxy.url);
  const options = { reconnectionOptions, fetch: persistent };
  const transport = new StreamableHTTPClientTransport(address, options);
  await client.connect(transport as never);
  const params = { name: 'main', arguments: { prompt: message.text } };
  const { content } = await client.callTool(params, { timeout: 120_000 });
  await client.close();
  expect(content).toEqual([{ type: 'text', text: answer }]);
  expect(await proxy.stop()).toBeGreaterThanOrEqual(2);
});

// proves: endpoints.proxy
test('the unmodified client of A2A subscribes to its task again, from its start', async () => {
  await using world = await openBehindProxy();
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    cardResolver: new DefaultAgentCardResolver({ fetchImpl: persistent }),
    transports: [new JsonRpcTransportFactory({ fetchImpl: persistent })],
  });
  const client = await new ClientFactory(options).createFromUrl(
    `${world.proxy.url}/api/a2a/dev/dev/desk/main/`,
  );
  const of = { metadata: undefined, filename: '', mediaType: '' };
  const sent = {
    ...{ messageId: 'm1', contextId: 'conv_a', taskId: '', role: Role.ROLE_USER },
    parts: [{ content: { $case: 'text' as const, value: message.text }, ...of }],
    ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
  };
  const request = { tenant: '', message: sent, configuration: undefined, metadata: undefined };
  const seen = { task: '', text: '', state: TaskState.TASK_STATE_UNSPECIFIED };
  await take(client.sendMessageStream(request), seen);
  while (seen.state !== TaskState.TASK_STATE_COMPLETED) {
    await take(client.resubscribeTask({ tenant: '', id: seen.task }), seen);
  }
  expect(seen.text).toBe(answer);
  await expectCuts(world, 2);
});

type Seen = { task: string; text: string; state: TaskState };

/** Reads a stream to its end, or until it is cut. */
async function take(stream: AsyncIterable<StreamResponse>, seen: Seen): Promise<void> {
  try {
    for await (const { payload } of stream) note(payload, seen);
  } catch {
    // Cut.
  }
}

function note(payload: StreamResponse['payload'], seen: Seen): void {
  if (payload?.$case === 'task') [seen.task, seen.text] = [payload.value.id, ''];
  if (payload?.$case === 'statusUpdate') seen.state = payload.value.status?.state ?? seen.state;
  if (payload?.$case !== 'artifactUpdate') return;
  const value = String(payload.value.artifact?.parts[0]?.content?.value);
  seen.text = payload.value.append ? seen.text + value : value;
}

// proves: endpoints.proxy
test('the transport of the AI SDK begins the running turn again; after its end the conversation shows it', async () => {
  await using world = await openBehindProxy();
  const api = `${world.proxy.url}/api/ai/dev/dev/main`;
  const transport = new DefaultChatTransport<UIMessage>({ api, fetch: persistent });
  const parts = [{ type: 'text' as const, text: message.text }];
  const chat = { chatId: 'conv_a' };
  let stream: ReadableStream<UIMessageChunk> | null = await transport.sendMessages({
    ...{ ...chat, messageId: undefined, abortSignal: undefined },
    ...{ trigger: 'submit-message', messages: [{ id: 'm1', role: 'user', parts }] },
  });
  let text: string | undefined;
  while (stream && text === undefined) {
    text = await textOf(stream);
    if (text === undefined) stream = await transport.reconnectToStream(chat);
  }
  const path = `${world.proxy.url}/api/chat/dev/dev/conversations/conv_a/stream?as=ai`;
  expect(text ?? (await textOf(chunksOf(await persistent(path))))).toBe(answer);
  await expectCuts(world, 2);
});

/** The text of a whole message. Undefined: its stream was cut. */
async function textOf(chunks: AsyncIterable<UIMessageChunk>): Promise<string | undefined> {
  let text = '';
  try {
    for await (const chunk of chunks) {
      if (chunk.type === 'text-delta') text += chunk.delta;
      if (chunk.type === 'finish') return text;
    }
  } catch {
    // Cut.
  }
  return undefined;
}

async function* chunksOf(response: Response): AsyncGenerator<UIMessageChunk> {
  for await (const { data } of eventsOf(response)) {
    if (data.startsWith('{')) yield JSON.parse(data) as UIMessageChunk;
  }
}
