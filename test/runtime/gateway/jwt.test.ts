import { afterEach, beforeEach, expect, test } from 'vitest';
import { keysCooldownMs, skewMsMax } from '../../../runtime/adapters/issuer/limits.ts';
import { usualClaims } from '../../../runtime/adapters/issuer/settings.ts';
import { openTokens, type Tokens } from '../../../runtime/adapters/issuer/tokens.ts';
import type { Log } from '../../../runtime/base/log.ts';
import type { SubscribeAck } from '../../../runtime/client/envelope.ts';
import { manualClock } from '../../../runtime/testing/clock.ts';
import { createSigner, type Issuer, openIssuer } from '../../tools/issuer.ts';
import { containing } from '../../tools/matchers.ts';
import { ask, listen, openStage, type Stage } from './stage.ts';

let issuer: Issuer;
let tokens: Tokens;
let stage: Stage;
let clock: ReturnType<typeof manualClock>;
const logged: string[] = [];

beforeEach(async () => {
  clock = manualClock(new Date().toISOString());
  logged.length = 0;
  issuer = await openIssuer(() => clock.now());
  const say = (message: string, facts: object = {}) =>
    void logged.push(
      `${message} ${JSON.stringify(facts, (_, it) => (it instanceof Error ? `${it.stack} ${String(it.cause)}` : it))}`,
    );
  const log: Log = { debug: say, info: say, warn: say, error: say, with: () => log };
  tokens = openTokens(
    { issuer: issuer.url, audience: ['timeloom'], keys: { from: 'issuer' }, claims: usualClaims },
    { clock, log },
  );
  const auth = { mode: 'jwt', tokens, origins: ['https://desk.acme.io'] } as const;
  stage = await openStage({ auth, log, clock });
});
afterEach(async () => {
  await stage[Symbol.asyncDispose]();
  tokens[Symbol.dispose]();
  await issuer[Symbol.asyncDispose]();
});

const messages = '/api/chat/dev/dev/messages';

function call(path: string, { headers, ...init }: RequestInit = {}, token?: string) {
  const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return fetch(new URL(path, stage.gateway.url), { ...init, headers: { ...headers, ...bearer } });
}

function say(id: string, token?: string, headers: Record<string, string> = {}) {
  const body = JSON.stringify({ message_id: id, text: 'Why?' });
  return call(messages, { method: 'POST', body, headers }, token);
}

async function told(asking: Promise<Response>): Promise<unknown[]> {
  const response = await asking;
  const { ok, error } = (await response.json()) as { ok: boolean; error?: { code: string } };
  return [response.status, ok ? 'ok' : error?.code];
}

/** Why a socket is not let in. */
function turnedAway(
  auth: Record<string, string>,
): Promise<{ message: string; data: { code: string } }> {
  return new Promise((resolve) =>
    stage.connect(auth).once('connect_error', (error) => resolve(error as never)),
  );
}

test('whoever the token names is who they are over HTTP, whatever else they say', async () => {
  const token = await issuer.token();
  expect(await told(say('m1', token, { 'x-timeloom-user': 'bob' }))).toEqual([200, 'ok']);
  const list = async (whose: string) => {
    const response = await call('/conversations/dev/dev', {}, whose);
    return ((await response.json()) as { items: unknown[] }).items.length;
  };
  expect(await list(token)).toBe(1);
  expect(await list(await issuer.token({ sub: 'bob' }))).toBe(0);
  const [row] = await stage.deps.store.list(
    { tenant: 'dev', project: 'dev', user: 'ann' },
    { limit: 5, signal: new AbortController().signal },
  );
  expect(row?.user).toBe('ann');
});

test('without a token that counts nobody gets in, and is told how', async () => {
  const response = await say('m1');
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe('Bearer');
  expect(await response.json()).toMatchObject({
    error: { code: 'unauthenticated', message: containing('Authorization: Bearer') },
  });
  const foreign = await issuer.token({}, { signer: await createSigner('k1') });
  expect(await told(say('m1', foreign))).toEqual([401, 'unauthenticated']);
  for (const path of [
    '/conversations/dev/dev',
    '/api/files?path=fi:t.outputs/a',
    '/api/bundles/dev/dev/desk/widgets',
  ]) {
    expect(await told(call(path))).toEqual([401, 'unauthenticated']);
  }
  expect((await call('/health')).status).toBe(200);
});

test.each([
  ['tenant', { tenant: 'acme' }],
  ['project', { project: ['ops', 'lab'] }],
])('a token of another %s opens nothing here', async (_, claims) => {
  const token = await issuer.token(claims);
  expect(await told(say('m1', token))).toEqual([403, 'forbidden']);
  expect((await turnedAway({ token })).data.code).toBe('forbidden');
});

test('another tenant in the address is refused, though the token be good', async () => {
  const token = await issuer.token();
  expect(await told(call('/conversations/acme/dev', {}, token))).toEqual([403, 'forbidden']);
  expect((await turnedAway({ token, tenant: 'acme' })).data.code).toBe('forbidden');
});

test('a socket shows its token when it connects, or a proxy shows it in the header', async () => {
  expect(await turnedAway({})).toMatchObject({
    message: 'unauthenticated',
    data: { code: 'unauthenticated' },
  });
  const token = await issuer.token();
  const ack = await ask(stage.connect({ token, user: 'bob' }), 'chat_message', {
    message_id: 'm1',
    text: 'a',
  });
  if (!ack.ok) throw new Error(ack.error.code);
  const conversation_id = ack.conversation_id;
  const another = stage.connect({ token: await issuer.token({ sub: 'bob' }) });
  expect(await ask(another, 'chat_subscribe', { conversation_id })).toMatchObject({
    error: { code: 'not_found' },
  });
  const proxied = stage.connect({}, { authorization: `Bearer ${token}` });
  expect(await ask<SubscribeAck>(proxied, 'chat_subscribe', { conversation_id })).toMatchObject({
    ok: true,
  });
});

test('a socket whose token expires is told so and ended, and nothing was lost', async () => {
  const token = await issuer.token();
  const socket = stage.connect({ token });
  const { until } = listen(socket);
  const ended = new Promise((resolve) => socket.once('disconnect', resolve));
  const ack = await ask(socket, 'chat_message', { message_id: 'm1', text: 'a' });
  if (!ack.ok) throw new Error(ack.error.code);
  await clock.advance(3_600_000 + skewMsMax);
  const { data } = await until(({ type }) => type === 'chat.service');
  expect(data).toMatchObject({ code: 'unauthenticated' });
  expect(await ended).toBe('io server disconnect');
  expect((await turnedAway({ token })).data).toMatchObject({
    code: 'unauthenticated',
    message: containing('expired'),
  });
  const again = stage.connect({ token: await issuer.token() });
  const later = listen(again);
  await ask(again, 'chat_subscribe', { conversation_id: ack.conversation_id, after: ack.cursor });
  expect((await later.until(({ type }) => type === 'chat.start')).data).toMatchObject({
    text: 'a',
  });
});

test('a stream ends with its token', async () => {
  const said: unknown = await (await say('m1', await issuer.token())).json();
  const { conversation_id } = said as { conversation_id: string };
  const token = await issuer.token();
  const path = `/api/chat/dev/dev/conversations/${conversation_id}/stream`;
  const response = await call(path, {}, token);
  expect(response.status).toBe(200);
  const heard = response.text();
  await clock.advance(3_600_000 + skewMsMax);
  expect(await heard).toContain('event: chat_start');
});

test('while the issuer is silent whoever it named before comes in, and others are told to come back', async () => {
  issuer.fail(true);
  const token = await issuer.token();
  expect(await told(say('m1', token))).toEqual([503, 'ISSUER_UNREACHABLE']);
  expect(await turnedAway({ token })).toMatchObject({
    message: 'ISSUER_UNREACHABLE',
    data: { code: 'ISSUER_UNREACHABLE' },
  });
  issuer.fail(false);
  await clock.advance(keysCooldownMs);
  expect(await told(say('m1', token))).toEqual([200, 'ok']);
  issuer.fail(true);
  expect(await told(say('m2', token))).toEqual([200, 'ok']);
});

test('no token is ever logged', async () => {
  const good = await issuer.token();
  const bad = [
    await issuer.token({ aud: 'x' }),
    await issuer.token({}, { signer: await createSigner('k9') }),
  ];
  for (const token of [good, ...bad]) {
    await say('m1', token);
    await call('/by-rn', { method: 'POST', body: '{broken' }, token);
    if (token !== good) await turnedAway({ token });
  }
  issuer.fail(true);
  await clock.advance(1_000_000);
  await say('m2', good);
  expect(logged.join('\n')).toContain('ISSUER_UNREACHABLE');
  for (const token of [good, ...bad]) {
    const [head = '', , signature = ''] = token.split('.');
    expect(logged.join('\n')).not.toContain(`${head}.`);
    expect(logged.join('\n')).not.toContain(signature);
  }
});

test('pages of listed origins may come in, and those of others not, token or no', async () => {
  const token = await issuer.token();
  const from = (origin: string) => say('m1', token, { origin });
  expect(await told(from('https://evil.example'))).toEqual([403, 'forbidden']);
  expect(await told(from('null'))).toEqual([403, 'forbidden']);
  expect(await told(from('https://desk.acme.io'))).toEqual([200, 'ok']);
  expect(await told(from(stage.gateway.url))).toEqual([200, 'ok']);
});
