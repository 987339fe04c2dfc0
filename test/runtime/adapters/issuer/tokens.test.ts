import { exportSPKI, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  keysAgeMsMax,
  keysCooldownMs,
  keysKeptMsMax,
  skewMsMax,
} from '../../../../runtime/adapters/issuer/limits.ts';
import {
  defaultClaims,
  type IssuerSettings,
} from '../../../../runtime/adapters/issuer/settings.ts';
import { openTokens, type Tokens } from '../../../../runtime/adapters/issuer/tokens.ts';
import type { Clock } from '../../../../runtime/base/clock.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { containing } from '../../../tools/matchers.ts';
import { createSigner, type Issuer, openIssuer } from '../../../tools/services/issuer.ts';

const { signal } = new AbortController();
let ms = Date.parse('2030-01-01T00:00:00Z');
const clock: Clock = { now: () => ms, monotonic: () => ms, sleep: () => Promise.resolve() };
let issuer: Issuer;
let tokens: Tokens;

beforeEach(async () => {
  issuer = await openIssuer(() => ms);
  tokens = open();
});
afterEach(async () => {
  tokens[Symbol.dispose]();
  await issuer[Symbol.asyncDispose]();
});

function open(more: Partial<IssuerSettings> = {}): Tokens {
  const settings: IssuerSettings = {
    ...{ issuer: issuer.url, audience: ['timeloom'], keys: { from: 'issuer' } },
    ...{ claims: defaultClaims, ...more },
  };
  return openTokens(settings, { clock, log: silentLog });
}

const read = (token: string, from = tokens) => from.read(token, { signal });
const unauthenticated = (words: string) => ({
  code: 'unauthenticated',
  message: containing(words),
});

test('a token of the issuer says who it is, what they may, and until when', async () => {
  const claims = { sub: 'auth0|ann', tenant: 'acme', project: ['ops', 'lab'], roles: ['editor'] };
  expect(await read(await issuer.token(claims))).toEqual({
    user: 'auth0|ann',
    tenants: ['acme'],
    projects: ['ops', 'lab'],
    roles: ['editor'],
    audiences: ['timeloom'],
    untilMs: ms + 3_600_000 + skewMsMax,
  });
  expect(await read(await issuer.token())).toMatchObject({
    user: 'ann',
    tenants: undefined,
    projects: undefined,
    roles: [],
  });
  expect(issuer.asked).toEqual(['/.well-known/openid-configuration', '/keys']);
});

test.each([
  ['of another audience', { aud: 'billing' }, {}, 'not for the audience timeloom'],
  ['without an audience', {}, { without: ['aud'] }, 'not for the audience timeloom'],
  ['of another issuer', { iss: 'https://elsewhere.example' }, {}, 'not from the issuer http'],
  ['without an issuer', {}, { without: ['iss'] }, 'not from the issuer http'],
  ['that is over', {}, { forSeconds: -skewMsMax / 1000 - 1 }, 'expired'],
  ['that never ends', {}, { without: ['exp'] }, 'claim “exp”'],
  ['that begins later', { nbf: ms / 1000 + 3600 }, {}, 'not valid yet'],
  ['of nobody', {}, { without: ['sub'] }, 'its claim “sub”'],
  ['of somebody without a name', { sub: '' }, {}, 'its claim “sub”'],
  ['of somebody with a name too long', { sub: 'a'.repeat(256) }, {}, 'its claim “sub”'],
])('a token %s is refused in words that help', async (...[, claims, options, words]) => {
  const token = await issuer.token(claims, options);
  await expect(read(token)).rejects.toMatchObject(unauthenticated(words));
});

test('clocks may differ a little', async () => {
  const late = await issuer.token({}, { forSeconds: -skewMsMax / 1000 + 1 });
  expect((await read(late)).user).toBe('ann');
  const early = await issuer.token({ nbf: (ms + skewMsMax) / 1000 - 1 });
  expect((await read(early)).user).toBe('ann');
});

test('a key of somebody else opens nothing, under its own name or a stolen one', async () => {
  await read(await issuer.token());
  for (const kid of ['k1', 'other']) {
    const signer = await createSigner(kid);
    const refused = read(await issuer.token({}, { signer }));
    await expect(refused).rejects.toMatchObject(unauthenticated('not signed by'));
  }
});

test('a public key cannot be used as a shared secret, and an unsigned token is rejected', async () => {
  const rsa = await createSigner('rsa', 'RS256');
  issuer.rotate(rsa);
  const claims = { iss: issuer.url, aud: 'timeloom', sub: 'mallory', exp: ms / 1000 + 60 };
  const key = await importJWK(rsa.shown, 'RS256', { extractable: true });
  if (key instanceof Uint8Array) throw new Error('a secret');
  const secrets = [await exportSPKI(key), JSON.stringify(rsa.shown), rsa.shown.n ?? ''];
  for (const secret of secrets) {
    const forged = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'rsa' })
      .sign(new TextEncoder().encode(secret));
    await expect(read(forged)).rejects.toMatchObject(unauthenticated('not signed by'));
  }
  const unsigned = new UnsecuredJWT(claims).encode();
  await expect(read(unsigned)).rejects.toMatchObject(unauthenticated('not signed by'));
  await expect(read('not a token')).rejects.toMatchObject(unauthenticated('not signed by'));
  expect((await read(await issuer.token({}, { signer: rsa }))).user).toBe('ann');
});

test('with a shared secret, tokens signed with it count and no others', async () => {
  const secret = 'a secret of thirty-two bytes or more';
  using own = open({ keys: { from: 'secret', secret } });
  const claims = { iss: issuer.url, aud: 'timeloom', sub: 'ann', exp: ms / 1000 + 60 };
  const sign = (words: string) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(words));
  expect((await read(await sign(secret), own)).user).toBe('ann');
  for (const token of [await sign(`${secret}!`), await issuer.token()]) {
    await expect(read(token, own)).rejects.toMatchObject({ code: 'unauthenticated' });
  }
  expect(issuer.asked).toEqual([]);
});

test('keys may lie at an address or in a file, and a token that names none may be of any', async () => {
  const [one, other] = [await createSigner('k1'), await createSigner('k2')];
  issuer.rotate(one, other);
  const keys = [one.shown, other.shown];
  using near = open({ keys: { from: 'file', keys: { keys } } });
  using far = open({ keys: { from: 'address', url: `${issuer.url}/keys` } });
  const nameless = await new SignJWT({ iss: issuer.url, aud: 'timeloom', sub: 'bob' })
    .setExpirationTime(ms / 1000 + 60)
    .setProtectedHeader({ alg: 'ES256' })
    .sign(other.key);
  expect((await read(nameless, near)).user).toBe('bob');
  expect(issuer.asked).toEqual([]);
  expect((await read(nameless, far)).user).toBe('bob');
  expect(issuer.asked).toEqual(['/keys']);
  const foreign = await createSigner('k3');
  const forged = await new SignJWT({ iss: issuer.url, aud: 'timeloom', sub: 'bob' })
    .setExpirationTime(ms / 1000 + 60)
    .setProtectedHeader({ alg: 'ES256' })
    .sign(foreign.key);
  await expect(read(forged, far)).rejects.toMatchObject(unauthenticated('not signed by'));
});

test('a new key of the issuer is learnt when it is first seen, but nobody makes us ask all the time', async () => {
  await read(await issuer.token());
  const next = await createSigner('k2');
  issuer.rotate(next);
  const token = await issuer.token();
  await expect(read(token)).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(issuer.asked).toHaveLength(2);
  ms += keysCooldownMs;
  expect((await read(token)).user).toBe('ann');
  const unknown = Array.from({ length: 20 }, async (_, n) => {
    const signer = await createSigner(`made-up-${n}`);
    await expect(read(await issuer.token({}, { signer }))).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });
  await Promise.all(unknown);
  expect(issuer.asked.filter((path) => path === '/keys')).toHaveLength(2);
});

test('a key that the issuer took back is forgotten', async () => {
  const token = await issuer.token();
  expect((await read(token)).user).toBe('ann');
  issuer.rotate(await createSigner('k2'));
  ms += keysAgeMsMax + 1;
  await expect(read(token)).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('while the issuer is silent its last keys serve, for a day', async () => {
  const [token, foreign] = [
    await issuer.token({}, { forSeconds: 1_000_000 }),
    await issuer.token({}, { signer: await createSigner('k2') }),
  ];
  await read(token);
  issuer.fail(true);
  ms += keysAgeMsMax + 1;
  expect((await read(token)).user).toBe('ann');
  await expect(read(foreign)).rejects.toMatchObject({ code: 'unauthenticated' });
  ms += keysKeptMsMax;
  await expect(read(token)).rejects.toMatchObject({
    code: 'ISSUER_UNREACHABLE',
    kind: 'transient',
  });
  issuer.fail(false);
  ms += keysCooldownMs;
  expect((await read(token)).user).toBe('ann');
});

test('an issuer that never answered is asked once in a while, and at once answers are served', async () => {
  issuer.fail(true);
  const token = await issuer.token();
  const all = await Promise.allSettled(Array.from({ length: 5 }, () => read(token)));
  expect(all.every(({ status }) => status === 'rejected')).toBe(true);
  await expect(read(token)).rejects.toMatchObject({ code: 'ISSUER_UNREACHABLE' });
  expect(issuer.asked).toHaveLength(1);
  issuer.fail(false);
  ms += keysCooldownMs;
  expect((await read(token)).user).toBe('ann');
});

test.each([
  ['another issuer', { issuer: 'https://elsewhere.example', jwks_uri: 'https://x.example' }],
  ['keys over plain http', { jwks_uri: 'http://keys.example/k' }],
  ['no keys', {}],
])('a discovery document that says %s is not believed', async (_, said) => {
  issuer.pretend({ issuer: issuer.url, ...said });
  await expect(read(await issuer.token())).rejects.toMatchObject({ code: 'ISSUER_UNREACHABLE' });
});

test('claims may have other names, with dots into others, and may be words', async () => {
  const claims = {
    user: 'email',
    tenant: 'https://acme.io/tenant',
    project: 'project',
    roles: 'realm_access.roles',
  };
  using own = open({ claims });
  const said = {
    email: 'ann@acme.io',
    'https://acme.io/tenant': 'acme',
    realm_access: { roles: ['editor', 7, 'admin'] },
  };
  expect(await read(await issuer.token(said), own)).toMatchObject({
    user: 'ann@acme.io',
    tenants: ['acme'],
    roles: ['editor', 'admin'],
  });
  using words = open({ claims: { ...defaultClaims, roles: 'scope' } });
  const scoped = await read(await issuer.token({ scope: 'chat props:write' }), words);
  expect(scoped.roles).toEqual(['chat', 'props:write']);
  const many = { roles: Array.from({ length: 257 }, (_, n) => `r${n}`) };
  await expect(read(await issuer.token(many))).rejects.toMatchObject({ code: 'forbidden' });
});
