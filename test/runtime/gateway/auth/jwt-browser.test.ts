import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { skewMsMax } from '../../../../runtime/adapters/issuer/limits.ts';
import { ask, openStage } from '../stage.ts';
import {
  call,
  clock,
  desk,
  issuer,
  messages,
  outcomeOf,
  say,
  stage,
  turnedAway,
  withIssuer,
} from './jwt-stage.ts';

withIssuer();

test('pages of listed origins are allowed, others are not, with or without a token', async () => {
  const token = await issuer.token();
  const from = (origin: string) => say('m1', token, { origin });
  expect(await outcomeOf(from('https://evil.example'))).toEqual([403, 'forbidden']);
  expect(await outcomeOf(from('null'))).toEqual([403, 'forbidden']);
  expect(await outcomeOf(from('https://desk.acme.io'))).toEqual([200, 'ok']);
  expect(await outcomeOf(from(stage.gateway.url))).toEqual([200, 'ok']);
});

test('a page of a listed origin may send a preflight request and read the answer', async () => {
  const asks = { origin: desk, 'access-control-request-method': 'POST' };
  const headers = { ...asks, 'access-control-request-headers': 'authorization,content-type' };
  const first = await call(messages, { method: 'OPTIONS', headers });
  expect(first.status).toBe(204);
  expect(first.headers.get('access-control-allow-origin')).toBe(desk);
  expect(first.headers.get('access-control-allow-headers')).toBe('authorization,content-type');
  expect(first.headers.get('access-control-allow-credentials')).toBeNull();
  for (const token of [await issuer.token(), 'none']) {
    const then = await say('m1', token, { origin: desk });
    expect(then.headers.get('access-control-allow-origin')).toBe(desk);
  }
  const other = { ...headers, origin: 'https://evil.example' };
  const refused = await call(messages, { method: 'OPTIONS', headers: other });
  expect(refused.headers.get('access-control-allow-origin')).toBeNull();
});

test('a socket of a listed page connects, one of another page does not', async () => {
  const token = await issuer.token();
  const socket = stage.connect({ token }, { origin: desk });
  const ack = await ask(socket, 'chat_message', { message_id: 'm1', text: 'a' });
  expect(ack.status).toBe('started');
  const evil = await turnedAway({ token }, { origin: 'https://evil.example' });
  expect(evil.message).toBe('websocket error');
});

/** What a browser keeps of a sign-in. */
async function signIn(token: string): Promise<{ cookie: string; attributes: string }> {
  const response = await call('/api/session', { method: 'POST' }, token);
  expect(response.status).toBe(200);
  const [cookie = '', ...attributes] = (response.headers.get('set-cookie') ?? '').split('; ');
  return { cookie, attributes: attributes.join('; ') };
}

test('a signed-in browser opens pages by address alone, until its token expires', async () => {
  const token = await issuer.token();
  const { cookie, attributes } = await signIn(token);
  expect(attributes).toBe('Max-Age=3630; Path=/; HttpOnly; SameSite=Strict');
  const headers = { cookie: `theme=dark; ${cookie}` };
  expect(await outcomeOf(call('/conversations/dev/dev', { headers }))).toEqual([200, 'ok']);
  const socket = stage.connect({}, { ...headers, origin: stage.gateway.url });
  expect((await ask(socket, 'chat_message', { message_id: 'm1', text: 'a' })).status).toBe(
    'started',
  );
  await clock.advance(3_600_000 + skewMsMax);
  expect(await outcomeOf(call('/conversations/dev/dev', { headers }))).toEqual([
    401,
    'unauthenticated',
  ]);
});

test('outside this machine the cookie requires TLS, and signing out deletes it', async () => {
  const open = { method: 'POST', path: '/api/session', host: 'desk.acme.io' };
  const far = await raw(open, { authorization: `Bearer ${await issuer.token()}` });
  expect(far.headers['set-cookie']?.[0]).toContain('; Secure');
  const { cookie } = await signIn(await issuer.token());
  const headers = { cookie, origin: stage.gateway.url };
  const gone = await call('/api/session', { method: 'DELETE', headers });
  expect(gone.headers.get('set-cookie')).toContain('timeloom_token=; Max-Age=0');
  const large = await issuer.token({ groups: 'x'.repeat(3_800) });
  expect(await outcomeOf(call('/api/session', { method: 'POST' }, large))).toEqual([
    413,
    'too_large',
  ]);
});

test('pages of other origins cannot use the cookie that a browser adds', async () => {
  const { cookie } = await signIn(await issuer.token());
  const post = (headers: Record<string, string>) =>
    outcomeOf(say('m1', undefined, { cookie, ...headers }));
  expect(await post({ origin: 'https://evil.example' })).toEqual([403, 'forbidden']);
  expect(await post({ origin: desk })).toEqual([401, 'unauthenticated']);
  expect(await post({})).toEqual([401, 'unauthenticated']);
  expect(await post({ origin: stage.gateway.url })).toEqual([200, 'ok']);
  expect((await turnedAway({}, { cookie, origin: desk })).message).toBe('unauthenticated');
});

/** A request with a Host of its own, which `fetch` does not let anybody write. */
function raw(
  { method, path, host }: { method: string; path: string; host: string },
  headers: Record<string, string>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(stage.gateway.url);
    const to = { host: '127.0.0.1', port, method, path, headers: { ...headers, host } };
    request(to, (response) => resolve(response.resume()))
      .on('error', reject)
      .end();
  });
}

test('the page loads before sign-in; anonymous requests are limited per hour, or forbidden', async () => {
  expect((await call('/')).status).toBe(200);
  const auth = stage.deps.auth;
  await using few = await openStage({ auth, clock, limits: { anonymousPerHour: 2 } });
  const get = () => fetch(few.gateway.url);
  expect([(await get()).status, (await get()).status]).toEqual([200, 200]);
  const late = await get();
  expect([late.status, late.headers.get('retry-after')]).toEqual([429, '1800']);
  await using closed = await openStage({ auth, clock, limits: { anonymousPerHour: 0 } });
  expect((await fetch(closed.gateway.url)).status).toBe(401);
  const bearer = async (forSeconds: number) => ({
    headers: { authorization: `Bearer ${await issuer.token({}, { forSeconds })}` },
  });
  expect((await fetch(closed.gateway.url, await bearer(60))).status).toBe(200);
  expect((await fetch(closed.gateway.url, await bearer(-60))).status).toBe(401);
});
