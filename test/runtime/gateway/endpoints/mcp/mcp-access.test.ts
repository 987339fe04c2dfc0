import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type McpStage, openMcpStage } from './mcp-kit.ts';

let stage: McpStage | undefined;
afterEach(async () => {
  await stage?.[Symbol.asyncDispose]();
  stage = undefined;
});

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};

const Failed = z.object({ error: z.object({ code: z.number() }) });

async function post(
  endpoint: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  stage ??= await openMcpStage();
  return fetch(stage.url(endpoint), {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  });
}

// proves: mcp-server-access
test('an endpoint for a role refuses users without it, and pages of other origins', async () => {
  expect((await post('editors', initialize)).status).toBe(403);
  expect((await post('editors', initialize, { 'x-timeloom-roles': 'editor' })).status).toBe(200);
  expect((await post('acme', initialize, { origin: 'https://elsewhere.example' })).status).toBe(
    403,
  );
  expect((await post('none', initialize)).status).toBe(404);
});

// proves: mcp-server-public
test('a public endpoint answers callers that its bundle verifies, and keeps them apart', async () => {
  const wrong = await post('open', initialize, { 'x-key': 'wrong' });
  expect(wrong.status).toBe(401);
  expect(wrong.headers.get('www-authenticate')).toBe('Bearer');
  const right = await post('open', initialize, { 'x-key': 'right' });
  expect(right.status).toBe(200);
  expect(right.headers.get('mcp-session-id')).toMatch(/^conv_/);
});

test('the session of another user does not exist', async () => {
  const opened = await post('acme', initialize, { 'x-timeloom-user': 'ann' });
  const session = opened.headers.get('mcp-session-id') ?? '';
  const call = {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'math.add', arguments: { a: 1, b: 1 } },
  };
  const own = await post('acme', call, { 'x-timeloom-user': 'ann', 'mcp-session-id': session });
  expect(await own.text()).toContain('"sum":2');
  const others = await post('acme', call, { 'x-timeloom-user': 'bob', 'mcp-session-id': session });
  expect(others.status).toBe(404);
});

test('requests that are not JSON-RPC are refused with its codes', async () => {
  const code = async (response: Promise<Response>) => {
    const { error } = Failed.parse(await (await response).json());
    return [(await response).status, error.code];
  };
  const session = { 'mcp-session-id': 'conv_mine' };
  expect(await code(post('acme', '{nope', session))).toEqual([400, -32_700]);
  expect(await code(post('acme', [initialize], session))).toEqual([400, -32_600]);
  expect(await code(post('acme', { jsonrpc: '2.0', id: 1, method: 'tools/call' }))).toEqual([
    ...[400, -32_600],
  ]);
  const strange = { jsonrpc: '2.0', id: 1, method: 'tools/none' };
  expect(await code(post('acme', strange, session))).toEqual([200, -32_601]);
  const get = await fetch(`${stage?.url('acme')}`, { headers: session });
  expect(get.status).toBe(405);
});
