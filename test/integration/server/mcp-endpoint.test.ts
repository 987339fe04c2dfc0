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
    const config = readConfig({
      TIMELOOM_CONFIG_DIR: dir,
      TIMELOOM_DATA_DIR: join(dir, 'data'),
      TIMELOOM_MODEL: `scripted:${join(dir, 'script.yaml')}`,
      TIMELOOM_PORT: '0',
      TIMELOOM_LOG: 'error',
    });
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
