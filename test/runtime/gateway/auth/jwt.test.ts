import { expect, test } from 'vitest';
import { keysCooldownMs, skewMsMax } from '../../../../runtime/adapters/issuer/limits.ts';
import type { SubscribeAck } from '../../../../runtime/client/protocol/envelope.ts';
import { containing } from '../../../tools/matchers.ts';
import { createSigner } from '../../../tools/services/issuer.ts';
import { ask, listen } from '../stage.ts';
import {
  call,
  clock,
  issuer,
  logged,
  outcomeOf,
  say,
  stage,
  turnedAway,
  withIssuer,
} from './jwt-stage.ts';

withIssuer();

test('over HTTP the token alone determines the user', async () => {
  const token = await issuer.token();
  expect(await outcomeOf(say('m1', token, { 'x-timeloom-user': 'bob' }))).toEqual([200, 'ok']);
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

test('a request without a valid token is refused with instructions', async () => {
  const response = await say('m1');
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe('Bearer');
  expect(await response.json()).toMatchObject({
    error: { code: 'unauthenticated', message: containing('Authorization: Bearer') },
  });
  const foreign = await issuer.token({}, { signer: await createSigner('k1') });
  expect(await outcomeOf(say('m1', foreign))).toEqual([401, 'unauthenticated']);
  for (const path of [
    '/conversations/dev/dev',
    '/api/files?path=fi:t.outputs/a',
    '/api/bundles/dev/dev/desk/widgets',
  ]) {
    expect(await outcomeOf(call(path))).toEqual([401, 'unauthenticated']);
  }
  expect((await call('/health')).status).toBe(200);
});

test.each([
  ['tenant', { tenant: 'acme' }],
  ['project', { project: ['ops', 'lab'] }],
])('a token for another %s gives no access', async (_, claims) => {
  const token = await issuer.token(claims);
  expect(await outcomeOf(say('m1', token))).toEqual([403, 'forbidden']);
  expect((await turnedAway({ token })).data.code).toBe('forbidden');
});

test('another tenant in the address is refused even with a valid token', async () => {
  const token = await issuer.token();
  expect(await outcomeOf(call('/conversations/acme/dev', {}, token))).toEqual([403, 'forbidden']);
  expect((await turnedAway({ token, tenant: 'acme' })).data.code).toBe('forbidden');
});

test('a socket sends its token when it connects, or a proxy sends it in the header', async () => {
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

test('a socket is notified and disconnected when its token expires, and loses nothing', async () => {
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

test('while the issuer does not answer, known keys are accepted and other tokens get a retryable error', async () => {
  issuer.fail(true);
  const token = await issuer.token();
  expect(await outcomeOf(say('m1', token))).toEqual([503, 'ISSUER_UNREACHABLE']);
  expect(await turnedAway({ token })).toMatchObject({
    message: 'ISSUER_UNREACHABLE',
    data: { code: 'ISSUER_UNREACHABLE' },
  });
  issuer.fail(false);
  await clock.advance(keysCooldownMs);
  expect(await outcomeOf(say('m1', token))).toEqual([200, 'ok']);
  issuer.fail(true);
  expect(await outcomeOf(say('m2', token))).toEqual([200, 'ok']);
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
