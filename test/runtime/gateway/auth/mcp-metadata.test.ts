import { request } from 'node:http';
import { expect, test } from 'vitest';
import { createAgentDirectory } from '../../../../runtime/cli/wiring/agent-directory.ts';
import { compile } from '../../sdk/kit.ts';
import { bundle } from '../endpoints/mcp/mcp-kit.ts';
import { openJudge } from '../openapi/openapi-judge.ts';
import { openStage } from '../stage.ts';
import {
  call,
  desk,
  endpointAudience,
  issuer,
  stage,
  turnedAway,
  withIssuer,
} from './jwt-stage.ts';

const bundles = createAgentDirectory([await compile(bundle)], { first: undefined });
withIssuer({ bundles });

const root = '/.well-known/oauth-protected-resource';
const pathOf = (endpoint: string) => `/api/bundles/dev/dev/acme/mcp/${endpoint}`;

// proves: mcp-server-sign-in
test('the metadata of the server and of its endpoints name the issuer, without a token', async () => {
  const judge = openJudge(await (await call('/openapi.json')).json());
  // Also for an endpoint that does not exist.
  for (const path of ['', pathOf('acme'), pathOf('editors'), pathOf('none')]) {
    const answer = await call(`${root}${path}`);
    expect(await judge.complaints('GET', answer)).toEqual([]);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        resource: `${stage.gateway.url}${path}`,
        authorization_servers: [issuer.url],
        bearer_methods_supported: ['header'],
      },
    ]);
  }
});

// proves: mcp-server-sign-in
test('pages of any origin read the metadata, also with the header of MCP clients', async () => {
  for (const origin of [desk, 'https://elsewhere.example']) {
    const headers = {
      origin,
      'mcp-protocol-version': '2025-11-25',
      'sec-fetch-site': 'cross-site',
    };
    const answer = await call(`${root}${pathOf('acme')}`, { headers });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const preflight = await call(`${root}${pathOf('acme')}`, {
      method: 'OPTIONS',
      headers: {
        ...{ origin, 'access-control-request-method': 'GET' },
        'access-control-request-headers': 'mcp-protocol-version',
      },
    });
    const allowed = ['origin', 'headers'].map((what) =>
      preflight.headers.get(`access-control-allow-${what}`),
    );
    expect([preflight.status, ...allowed]).toEqual([204, '*', 'mcp-protocol-version']);
  }
});

/** `fetch` sends no other `Host` than that of the address. */
function challengeBehindProxy(headers: Record<string, string>): Promise<unknown> {
  const { port } = new URL(stage.gateway.url);
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: pathOf('acme'), method: 'POST', headers };
    request(options, (answer) => resolve(answer.headers['www-authenticate']))
      .on('error', reject)
      .end();
  });
}

// proves: mcp-server-sign-in
test.each([
  [{ host: 'desk.acme.io' }, 'https://desk.acme.io'],
  [{ host: 'Desk.acme.io:443' }, 'https://desk.acme.io'],
  [{ host: 'desk.acme.io', 'x-forwarded-proto': 'http' }, 'https://desk.acme.io'],
  [{ host: 'localhost:8443', 'x-forwarded-proto': 'https' }, 'https://localhost:8443'],
  [{ host: 'localhost:3000' }, 'http://localhost:3000'],
])('with the headers %j the metadata is at %s', async (headers, origin) => {
  const address = `${origin}${root}${pathOf('acme')}`;
  expect(await challengeBehindProxy(headers)).toBe(`Bearer resource_metadata="${address}"`);
});

// proves: mcp-server-sign-in
test('scopes of the configuration are in the metadata and in WWW-Authenticate', async () => {
  const authorizationServer = { issuer: 'https://login.acme.io', scopes: ['read', 'write'] };
  const auth = { ...stage.deps.auth, authorizationServer };
  await using scoped = await openStage({ bundles, auth });
  const { url } = scoped.gateway;
  const metadata: unknown = await (await fetch(`${url}${root}`)).json();
  expect(metadata).toMatchObject({ scopes_supported: ['read', 'write'] });
  const refused = await fetch(`${url}${pathOf('acme')}`, { method: 'POST' });
  expect(refused.headers.get('www-authenticate')).toBe(
    `Bearer resource_metadata="${url}${root}${pathOf('acme')}", scope="read write"`,
  );
});

// proves: mcp-server-sign-in
test('a server without an issuer, and an endpoint whose bundle verifies its callers, have no metadata', async () => {
  const { authorizationServer: _, ...auth } = {
    authorizationServer: undefined,
    ...stage.deps.auth,
  };
  await using without = await openStage({ bundles, auth });
  const { url } = without.gateway;
  for (const path of [root, `${root}${pathOf('acme')}`]) {
    const answer = await fetch(`${url}${path}`);
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { ok: false, error: { code: 'not_found' } },
    ]);
  }
  const challenge = async (headers: Record<string, string>) =>
    (await fetch(`${url}${pathOf('acme')}`, { method: 'POST', headers })).headers.get(
      'www-authenticate',
    );
  expect(await challenge({})).toBe('Bearer');
  expect(await challenge({ authorization: 'Bearer x.y.z' })).toBe('Bearer error="invalid_token"');
  const judge = openJudge(await (await call('/openapi.json')).json());
  const hidden = await call(`${root}${pathOf('open')}`);
  expect([hidden.status, await judge.complaints('GET', hidden)]).toEqual([404, []]);
  const open = await call(pathOf('open'), { method: 'POST' }, 'x.y.z');
  expect([open.status, open.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
});

// proves: mcp-server-audience
test('a token for one endpoint is refused everywhere else, and one with another audience too is not', async () => {
  const token = await issuer.token({ aud: endpointAudience, roles: ['editor'] });
  const statusAt = async (path: string, own = token, method = 'GET') =>
    (await call(path, { method, headers: { 'mcp-session-id': 'conv_mine' } }, own)).status;
  expect(await statusAt(pathOf('acme'), token, 'DELETE')).not.toBe(401);
  for (const path of [pathOf('editors'), `${pathOf('acme')}/x`, '/api/session', '/v1/models']) {
    expect([path, await statusAt(path)]).toEqual([path, 401]);
  }
  expect(await turnedAway({ token })).toMatchObject({ data: { code: 'unauthenticated' } });
  const both = await issuer.token({ aud: [endpointAudience, 'timeloom'] });
  expect(await statusAt('/api/session', both)).toBe(200);
  const foreign = await issuer.token({ aud: endpointAudience.replace('acme.io', 'evil.example') });
  expect(await statusAt(pathOf('acme'), foreign)).toBe(401);
});
