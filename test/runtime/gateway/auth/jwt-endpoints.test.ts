import { Client } from '@langchain/langgraph-sdk';
import { expect, test } from 'vitest';
import { call, desk, issuer, stage, withIssuer } from './jwt-stage.ts';

withIssuer();

const rpc = { jsonrpc: '2.0', error: { code: -32_000, data: { code: 'unauthenticated' } } };
const failure = { code: 'unauthenticated' };
const json = { 'content-type': 'application/json' };

// proves: endpoints.errors, mcp-server-access
test.each([
  ['/api/bundles/dev/dev/desk/mcp/desk', rpc],
  ['/api/a2a/dev/dev/desk/main', rpc],
  ['/threads', failure],
  ['/api/langgraph/dev/dev/runs/wait', failure],
])(
  '%s without a token is 401, with WWW-Authenticate and an error in its shape',
  async (path, shape) => {
    const answer = await call(path, { method: 'POST', body: '{}', headers: json });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/^Bearer\b/),
    ]);
    expect(await answer.json()).toMatchObject(shape);
  },
);

// proves: endpoints.errors
test('a page of another origin is refused in the shape of each protocol', async () => {
  const token = await issuer.token();
  const from = (origin: string) => ({ ...json, origin });
  const ask = (path: string, origin: string) =>
    call(path, { method: 'POST', body: '{}', headers: from(origin) }, token);
  const other = 'https://elsewhere.example';
  const forbidden = { jsonrpc: '2.0', error: { data: { code: 'forbidden' } } };
  for (const path of ['/api/bundles/dev/dev/desk/mcp/desk', '/api/a2a/dev/dev/main']) {
    const answer = await ask(path, other);
    expect([answer.status, await answer.json()]).toMatchObject([403, forbidden]);
  }
  expect(await (await ask('/threads', other)).json()).toMatchObject({ code: 'forbidden' });
  expect((await ask('/threads', desk)).status).toBe(200);
});

// proves: endpoints.langgraph
test('the API key of a LangGraph client is its token', async () => {
  const apiKey = await issuer.token({ sub: 'ann' });
  const client = new Client({ apiUrl: stage.gateway.url, apiKey });
  const { thread_id } = await client.threads.create();
  expect(await client.threads.get(thread_id)).toMatchObject({ status: 'idle' });
  const other = new Client({
    apiUrl: stage.gateway.url,
    apiKey: await issuer.token({ sub: 'bob' }),
    callerOptions: { maxRetries: 0 },
  });
  await expect(other.threads.get(thread_id)).rejects.toThrow('404');
});
