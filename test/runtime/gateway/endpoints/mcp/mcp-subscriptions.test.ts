import { afterEach, expect, test } from 'vitest';
import { type McpStage, openMcpStage } from './mcp-kit.ts';

let stage: McpStage | undefined;
afterEach(() => stage?.[Symbol.asyncDispose]());

async function open(...replies: Parameters<typeof openMcpStage>) {
  stage = await openMcpStage(...replies);
  return stage;
}

type Client = Awaited<ReturnType<McpStage['connect']>>['client'];

/** The first change of each kind that the client hears of. */
function hear(client: Client) {
  const updated = new Promise<string>((resolve) => {
    client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
      resolve(params.uri),
    );
  });
  const listed = new Promise<void>((resolve) => {
    client.setNotificationHandler('notifications/resources/list_changed', () => resolve());
  });
  return { updated, listed };
}

const report = { call: { tool: 'desk.report', input: { title: 'May' } } };
const held = { hold: 'between', ...report };

/** An agent that has written a file, and will write it again. `go` lets it; the turn ends before it returns. */
async function openWriter(version: 'legacy' | 'auto') {
  const { connect, runtime } = await open([report, held, { answer: 'Done.' }]);
  const headers = { 'x-timeloom-conversation': 'conv_report' };
  const { client } = await connect({ version, headers: version === 'auto' ? headers : {} });
  const calling = client.callTool({ name: 'main', arguments: { prompt: 'Write.' } });
  await runtime.model.held('between');
  const [file] = (await client.listResources()).resources;
  const go = async () => {
    runtime.model.release('between');
    await calling;
  };
  return { client, uri: file?.uri ?? '', go };
}

// proves: mcp-server-subscriptions
test('a client of 2026 listens to the resources of its conversation', async () => {
  const { client, uri, go } = await openWriter('auto');
  const { updated, listed } = hear(client);
  const wanted = { resourcesListChanged: true, resourceSubscriptions: [uri] };
  const subscription = await client.listen(wanted);
  expect(subscription.honoredFilter).toEqual(wanted);
  await go();
  await listed;
  expect(await updated).toBe(uri);
  expect((await client.listResources()).resources).toHaveLength(1);
  await subscription.close();
});

// proves: mcp-server-subscriptions
test('a client of 2025 subscribes to a resource of its session', async () => {
  const { client, uri, go } = await openWriter('legacy');
  const { updated } = hear(client);
  await client.subscribeResource({ uri });
  await expect(client.subscribeResource({ uri: 'x'.repeat(3_000) })).rejects.toThrow(
    'at most 100 resources',
  );
  await go();
  expect(await updated).toBe(uri);
  await client.unsubscribeResource({ uri });
});

// proves: mcp-server-session
test('a state that this server has not made does not repeat a call', async () => {
  const { url } = await open();
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: 'math.add', arguments: { a: 1, b: 2 }, requestState: 'x-TAMPERED' };
  const answer = await fetch(url('acme'), {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' },
      'mcp-name': 'math.add',
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { ...params, _meta: meta } },
    }),
  });
  expect(await answer.json()).toMatchObject({ id: 7, error: { code: -32_602 } });
});

// proves: mcp-server-files
test('images that a call has produced are content that a model can look at', async () => {
  const { connect } = await open();
  const { client } = await connect();
  const { content } = await client.callTool({ name: 'desk.draw', arguments: {} });
  const bytes = Buffer.from('GIF89a').toString('base64');
  expect(content).toMatchObject([
    { type: 'text' },
    { type: 'image', mimeType: 'image/gif', data: bytes },
    { type: 'resource_link', name: 'dot.gif' },
  ]);
});
