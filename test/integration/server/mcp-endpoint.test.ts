import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test, vi } from 'vitest';
import { Scope } from '../../../runtime/base/scope.ts';
import { readConfig } from '../../../runtime/cli/config/config.ts';
import { openServer } from '../../../runtime/cli/server/open-server.ts';
import { openFolder } from '../../runtime/sdk/kit.ts';
import { serverTestsMsMax } from '../../tools/serve.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

const source = `
import { defineAgent, defineBundle, defineTool } from 'timeloom/sdk';
import { z } from 'zod';
const input = z.object({ a: z.number(), b: z.number() });
const add = defineTool({ id: 'math.add', description: 'Adds.', input,
  run: ({ a, b }) => ({ sum: a + b, pid: process.pid }) });
const main = defineAgent({ id: 'main', instruction: 'x' });
const verify = (request) => request.headers.get('x-key') === 'right';
export const bundle = defineBundle({ id: 'desk', version: '1', agents: [main], mcp: { expose: [
  { id: 'desk', tools: [add], agents: [main] },
  { id: 'open', access: 'public', verify, tools: [add] },
  { id: 'shut', tools: [add] },
] } });
`;

function configIn(dir: string) {
  return readConfig({
    TIMELOOM_CONFIG_DIR: dir,
    TIMELOOM_DATA_DIR: join(dir, 'data'),
    TIMELOOM_MODEL: `scripted:${join(dir, 'script.yaml')}`,
    TIMELOOM_PORT: '0',
    TIMELOOM_LOG: 'error',
  });
}

// proves: mcp-server, mcp-server-public
test.each(['in_worker', 'separate'])(
  'a server with bundles %s answers MCP clients, but not at endpoints that are disabled',
  async (supervisors) => {
    await using folder = await openFolder({
      'assembly.yaml': `supervisors: ${supervisors}\n`,
      'bundles.yaml': 'bundles:\n  - { id: desk, path: ./desk, disable: [mcp.shut] }\n',
      'desk/bundle.ts': source,
      'script.yaml': 'replies:\n  - { answer: Hello. }\n',
    });
    const { dir } = folder;
    const config = configIn(dir);
    await using scope = new Scope();
    const { signal } = new AbortController();
    const roles = { worker: true, gateway: true };
    const { url } = await openServer(config, { scope, signal, roles });
    const connect = async (endpoint: string, headers: Record<string, string> = {}) => {
      const client = new Client({ name: 'test', version: '1' });
      const address = new URL(`${url}/api/bundles/dev/dev/desk/mcp/${endpoint}`);
      const transport = new StreamableHTTPClientTransport(address, { requestInit: { headers } });
      await client.connect(transport as never);
      scope.defer(() => client.close());
      return client;
    };
    const client = await connect('desk');
    const call = { name: 'math.add', arguments: { a: 2, b: 3 } };
    const [first] = (await client.callTool(call)).content;
    const { sum, pid } = JSON.parse(first?.type === 'text' ? first.text : '') as {
      sum: number;
      pid: number;
    };
    expect([sum, pid === process.pid]).toEqual([5, supervisors === 'in_worker']);
    const answer = await client.callTool({ name: 'main', arguments: { prompt: 'Hi' } });
    expect(answer.content).toEqual([{ type: 'text', text: 'Hello.' }]);
    const open = await connect('open', { 'x-key': 'right' });
    expect((await open.callTool(call)).isError).toBeFalsy();
    await expect(connect('open', { 'x-key': 'wrong' })).rejects.toThrow();
    await expect(connect('shut')).rejects.toThrow();
  },
);

const skill = (name: string) => `---\nname: ${name}\ndescription: How to ${name}.\n---\nDo it.\n`;
const withTools = (names: readonly string[]) => `
import { defineAgent, defineBundle, defineTool } from 'timeloom/sdk';
import { z } from 'zod';
const tools = ${JSON.stringify(names)}.map((id) => defineTool({ id, description: id, input: z.object({}), run: () => 1 }));
const main = defineAgent({ id: 'main', instruction: 'x' });
export const bundle = defineBundle({ id: 'desk', version: '1', agents: [main], skills: './skills',
  mcp: { expose: [{ id: 'desk', tools }] } });
`;

// proves: mcp-server-session, mcp-server-subscriptions
test('clients learn that a reload has changed the lists of tools and prompts, in either form of the protocol', async () => {
  await using folder = await openFolder({
    'bundles.yaml': 'bundles:\n  - { id: desk, path: ./desk }\n',
    'desk/bundle.ts': withTools(['desk.one']),
    'desk/skills/sell/SKILL.md': skill('sell'),
    'script.yaml': 'replies: []\n',
  });
  const { dir } = folder;
  await using scope = new Scope();
  const server = await openServer(configIn(dir), {
    scope,
    signal: new AbortController().signal,
    roles: { worker: true, gateway: true },
  });
  const address = new URL(`${server.url}/api/bundles/dev/dev/desk/mcp/desk`);
  const clients = [
    await openListener(address, { mode: 'legacy', scope }),
    await openListener(address, { mode: 'auto', scope }),
  ];
  await writeFile(join(dir, 'desk/bundle.ts'), withTools(['desk.one', 'desk.two']));
  await mkdir(join(dir, 'desk/skills/buy'));
  await writeFile(join(dir, 'desk/skills/buy/SKILL.md'), skill('buy'));
  await server.reload();
  for (const { client, news } of clients) {
    await news;
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['desk.one', 'desk.two']);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['buy', 'sell']);
  }
});

/** `news`: both lists have changed. */
async function openListener(
  address: URL,
  { mode, scope }: { mode: 'legacy' | 'auto'; scope: Scope },
) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const streams = listening();
  await client.connect(
    new StreamableHTTPClientTransport(address, { fetch: streams.fetch }) as never,
  );
  scope.defer(() => client.close());
  const changed = (method: 'tools' | 'prompts') =>
    new Promise<void>((resolve) => {
      client.setNotificationHandler(`notifications/${method}/list_changed`, () => resolve());
    });
  const news = Promise.all([changed('tools'), changed('prompts')]);
  if (mode === 'auto') await client.listen({ toolsListChanged: true, promptsListChanged: true });
  else await streams.opened;
  return { client, news };
}

/** `opened`: the stream of the session is open, and what follows is seen. */
function listening() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const watched: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method === 'GET' && response.ok) open();
    return response;
  };
  return { opened, fetch: watched };
}
