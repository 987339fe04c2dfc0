import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createAgentDirectory } from '../../../../runtime/cli/wiring/agent-directory.ts';
import { compile } from '../../sdk/kit.ts';
import { bundle } from '../endpoints/mcp/mcp-kit.ts';
import { call, clock, desk, issuer, messages, stage, withIssuer } from './jwt-stage.ts';

const acme = await compile(bundle);
withIssuer({ bundles: createAgentDirectory([acme], { first: undefined }) });

const pathOf = (endpoint: string) => `/api/bundles/dev/dev/acme/mcp/${endpoint}`;
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    ...{ protocolVersion: '2025-11-25', capabilities: {} },
    clientInfo: { name: 'test', version: '1' },
  },
};
const methods = ['POST', 'GET', 'DELETE'] as const;
type Method = (typeof methods)[number];

type Asking = {
  readonly method?: Method;
  readonly token?: string;
  readonly headers?: Record<string, string>;
};

function ask(endpoint: string, { method = 'POST', token, headers = {} }: Asking = {}) {
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(method === 'POST' ? {} : { 'mcp-session-id': 'conv_mine' }),
    ...headers,
  };
  const body = method === 'POST' ? { body: JSON.stringify(initialize) } : {};
  return call(pathOf(endpoint), { method, headers: all, ...body }, token);
}

const Refused = z.object({
  jsonrpc: z.literal('2.0'),
  error: z.object({ code: z.literal(-32_000), data: z.object({ code: z.string() }) }),
});

async function refusalOf(asking: Promise<Response>) {
  const answer = await asking;
  return [answer.status, Refused.parse(await answer.json()).error.data.code];
}

// proves: mcp-server-access
test.each(methods)('%s without a valid token is 401 with WWW-Authenticate', async (method) => {
  const expired = await issuer.token({}, { forSeconds: -600 });
  for (const endpoint of ['acme', 'editors', 'none']) {
    for (const token of [undefined, 'x.y.z', expired]) {
      const answer = await ask(endpoint, { method, ...(token === undefined ? {} : { token }) });
      const metadata = `${stage.gateway.url}/.well-known/oauth-protected-resource${pathOf(endpoint)}`;
      const why = token === undefined ? '' : 'error="invalid_token", ';
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        401,
        `Bearer ${why}resource_metadata="${metadata}"`,
      ]);
      expect(Refused.parse(await answer.json()).error.data.code).toBe('unauthenticated');
    }
  }
});

// proves: mcp-server-access
test.each(methods)('%s without the role of an endpoint is 403', async (method) => {
  const [reader, editor] = [
    await issuer.token({ roles: ['reader'] }),
    await issuer.token({ roles: ['reader', 'editor'] }),
  ];
  // Only tokens name roles.
  const headers = { 'x-timeloom-roles': 'editor', 'x-timeloom-user': 'editor' };
  const wrong = ask('editors', { method, token: reader, headers });
  expect(await refusalOf(wrong)).toEqual([403, 'forbidden']);
  const right = await ask('editors', { method, token: editor });
  expect(right.ok).toBe(true);
  await right.body?.cancel();
});

// proves: mcp-server-access
test.each(methods)(
  '%s from a page of another origin is 403, with and without a token',
  async (method) => {
    const token = await issuer.token({ roles: ['editor'] });
    const headers = { origin: 'https://elsewhere.example' };
    for (const endpoint of ['acme', 'editors', 'open']) {
      expect(await refusalOf(ask(endpoint, { method, headers, token }))).toEqual([
        403,
        'forbidden',
      ]);
      expect(await refusalOf(ask(endpoint, { method, headers }))).toEqual([403, 'forbidden']);
    }
    const known = await ask('acme', { method, headers: { origin: desk }, token });
    expect([known.ok, known.headers.get('access-control-allow-origin')]).toEqual([true, desk]);
    await known.body?.cancel();
  },
);

// proves: mcp-server-access
test('a page of a known origin may read the session and why it is refused, and others may not ask', async () => {
  const preflight = (origin: string) =>
    call(pathOf('acme'), {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
  expect((await preflight(desk)).headers.get('access-control-allow-origin')).toBe(desk);
  const other = await preflight('https://elsewhere.example');
  expect(other.headers.get('access-control-allow-origin')).toBeNull();
  const refused = await ask('acme', { headers: { origin: desk } });
  const exposed = refused.headers.get('access-control-expose-headers')?.toLowerCase();
  expect(exposed?.split(',').map((name) => name.trim())).toEqual(
    expect.arrayContaining(['mcp-session-id', 'www-authenticate']),
  );
});

async function connect(token: string | undefined) {
  const client = new Client({ name: 'test', version: '1' });
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const address = new URL(pathOf('editors'), stage.gateway.url);
  const transport = new StreamableHTTPClientTransport(address, { requestInit: { headers } });
  await client.connect(transport as never);
  return { client, session: transport.sessionId ?? '' };
}

// proves: mcp-server-access
test('the official client works with a token, in a session that is not that of others', async () => {
  await expect(connect(undefined)).rejects.toThrow();
  await expect(connect(await issuer.token({ roles: [] }))).rejects.toThrow();
  const token = await issuer.token({ roles: ['editor'] });
  const { client, session } = await connect(token);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['math.add']);
  await client.close();
  const body = JSON.stringify({ conversation_id: session, message_id: 'm1', text: 'Hi' });
  const headers = { 'content-type': 'application/json' };
  expect((await call(messages, { method: 'POST', body, headers }, token)).ok).toBe(true);
  const stolen = ask('editors', {
    method: 'GET',
    token: await issuer.token({ sub: 'bob', roles: ['editor'] }),
    headers: { 'mcp-session-id': session },
  });
  expect((await stolen).status).toBe(404);
});

// proves: mcp-server-access
test('the stream of a session ends with its token', async () => {
  const token = await issuer.token({}, { forSeconds: 60 });
  const stream = await ask('acme', { method: 'GET', token });
  const reader = stream.body?.getReader();
  // The first comment says that the stream is open.
  expect((await reader?.read())?.done).toBe(false);
  // Clocks may differ a little.
  await clock.advance(300_000);
  let end = await reader?.read();
  while (end?.done === false) end = await reader?.read();
  expect(end?.done).toBe(true);
  expect((await ask('acme', { method: 'GET', token })).status).toBe(401);
});
