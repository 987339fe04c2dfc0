import { expect, test } from 'vitest';
import { config, inFolder, problems } from './config-kit.ts';

inFolder();

const usual = { user: 'sub', tenant: 'tenant', project: 'project', roles: 'roles' };
const jwt = 'auth: { mode: jwt, issuer: "https://login.acme.io", audience: timeloom }\n';
const env = {
  TIMELOOM_AUTH: 'jwt',
  TIMELOOM_AUTH_ISSUER: 'https://login.acme.io',
  TIMELOOM_AUTH_AUDIENCE: 'timeloom, desk',
};
const secret = 'a secret of thirty-two bytes or more';
const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: 'k1' };

test('the token issuer is set in the descriptor or in the environment', () => {
  const files = { 'assembly.yaml': jwt, 'gateway.yaml': 'origins: ["https://desk.acme.io"]\n' };
  const issuer = { issuer: 'https://login.acme.io', keys: { from: 'issuer' }, claims: usual };
  expect(config(files, { TIMELOOM_HOST: '0.0.0.0' })).toMatchObject({
    host: '0.0.0.0',
    auth: {
      mode: 'jwt',
      issuer: { ...issuer, audience: ['timeloom'] },
      origins: ['https://desk.acme.io'],
    },
  });
});

test('environment variables alone are enough', () => {
  expect(config({}, env).auth).toMatchObject({
    mode: 'jwt',
    issuer: { issuer: 'https://login.acme.io', audience: ['timeloom', 'desk'] },
    origins: [],
  });
});

test('the locations of keys and the names of claims can be set', () => {
  const auth = 'auth: { mode: jwt, issuer: acme, audience: [a, b], claims: { roles: realm.roles }';
  const issuer = (more: string, vars = {}) => {
    const read = config({ 'assembly.yaml': `${auth}${more} }\n` }, vars).auth;
    return read.mode === 'jwt' ? read.issuer : undefined;
  };
  expect(issuer(', jwks_uri: "http://keys:8080/k"')).toEqual({
    issuer: 'acme',
    audience: ['a', 'b'],
    keys: { from: 'address', url: 'http://keys:8080/k' },
    claims: { ...usual, roles: 'realm.roles' },
  });
  config({ 'keys.json': JSON.stringify({ keys: [key] }) });
  expect(issuer(', jwks: ./keys.json')?.keys).toEqual({ from: 'file', keys: { keys: [key] } });
  expect(issuer('', { TIMELOOM_AUTH_SECRET: secret })?.keys).toEqual({ from: 'secret', secret });
  config({ 'secrets.yaml': `TIMELOOM_AUTH_SECRET: { env: SHARED }\n` }, { SHARED: secret });
  expect(issuer('', { SHARED: secret })?.keys).toEqual({ from: 'secret', secret });
});

test('clients learn where to get tokens if the issuer has an address', () => {
  const server = (said: string, vars = {}) => {
    const read = config(
      { 'assembly.yaml': `auth: { mode: jwt, audience: a, ${said} }\n` },
      vars,
    ).auth;
    return read.mode === 'jwt' ? read.authorizationServer : 'dev';
  };
  const issuer = 'https://login.acme.io';
  expect(server(`issuer: "${issuer}"`)).toEqual({ issuer, scopes: [] });
  const scopes = ['read', 'api://desk/use'];
  expect(server(`issuer: "${issuer}", scopes: ${JSON.stringify(scopes)}`)).toEqual({
    issuer,
    scopes,
  });
  expect(server('issuer: acme, jwks_uri: "https://acme.io/keys"')).toBeUndefined();
  expect(server(`issuer: "${issuer}"`, { TIMELOOM_AUTH_SECRET: secret })).toBeUndefined();
  const quoted = 'auth: { mode: jwt, issuer: acme, audience: a, scopes: ["re\\"ad"] }\n';
  expect(problems({ 'assembly.yaml': quoted })).toEqual([
    expect.stringMatching(/^assembly.yaml:1: auth.scopes\[0\]: one word without spaces/),
  ]);
});

test('no bundle gets the secret that signs tokens', () => {
  const secrets = `TIMELOOM_AUTH_SECRET: "${secret}"\nOTHER: shared\n`;
  const read = config({ 'assembly.yaml': jwt, 'secrets.yaml': secrets });
  expect(read.secret('desk', 'OTHER')).toBe('shared');
  expect(read.secret('desk', 'TIMELOOM_AUTH_SECRET')).toBeUndefined();
});

const open = { TIMELOOM_HOST: '192.168.1.5' };
const wrong: Readonly<Record<string, { said?: string; env?: object; says: RegExp }>> = {
  'an address beyond this machine with dev authentication': {
    env: open,
    says: /^TIMELOOM_HOST: dev authentication accepts every user, .* not on 192\.168\.1\.5; .*TIMELOOM_AUTH=jwt and TIMELOOM_AUTH_SECRET .*timeloom token/,
  },
  'no issuer': {
    said: 'auth: { mode: jwt, audience: timeloom }',
    says: /^assembly.yaml:1: auth.issuer: jwt requires the address .* or TIMELOOM_AUTH_SECRET/,
  },
  'no audience': {
    env: { ...env, TIMELOOM_AUTH_AUDIENCE: '' },
    says: /^TIMELOOM_AUTH_AUDIENCE: jwt requires the audience/,
  },
  'an issuer with an unsafe address': {
    said: 'auth:\n  mode: jwt\n  issuer: http://login.acme.io\n  audience: timeloom',
    says: /^assembly.yaml:3: auth.issuer: keys cannot be fetched safely from “http:\/\/login.acme.io”/,
  },
  'two key sources': {
    said: 'auth: { mode: jwt, issuer: acme, audience: a, jwks_uri: "https://a.example/k" }',
    env: { TIMELOOM_AUTH_SECRET: secret },
    says: /^assembly.yaml:1: auth.jwks_uri: set only one of jwks_uri, jwks and TIMELOOM_AUTH_SECRET/,
  },
  'a secret that is too short': {
    env: { ...env, TIMELOOM_AUTH_SECRET: 'hunter2' },
    says: /^TIMELOOM_AUTH_SECRET: must have at least 32 bytes/,
  },
  'a key file that does not exist': {
    said: 'auth: { mode: jwt, issuer: acme, audience: a, jwks: ./gone.json }',
    says: /^assembly.yaml:1: auth.jwks: ENOENT/,
  },
  'an unknown mode': { env: { TIMELOOM_AUTH: 'basic' }, says: /“basic” is not one of dev, jwt$/ },
};
for (const [what, { said, env: vars = {}, says }] of Object.entries(wrong)) {
  test(`${what} stops the start`, () => {
    const files = said === undefined ? {} : { 'assembly.yaml': `${said}\n` };
    const found = problems(files, { ...vars });
    expect(found).toEqual([expect.stringMatching(says)]);
  });
}

test('a private key is rejected as a public key', () => {
  const files = { 'keys.json': JSON.stringify({ keys: [{ ...key, d: 'd' }] }) };
  const said = 'auth: { mode: jwt, issuer: acme, audience: a, jwks: ./keys.json }\n';
  expect(problems({ ...files, 'assembly.yaml': said })).toEqual([
    'assembly.yaml:1: auth.jwks: ./keys.json is not a set of public keys',
  ]);
});

test('origins are written as browsers do, and other machines require jwt', () => {
  const origins = (list: string) => ({
    'assembly.yaml': jwt,
    'gateway.yaml': `origins: [${list}]\n`,
  });
  expect(problems(origins('"https://desk.acme.io/"'))).toEqual([
    expect.stringMatching(/^gateway.yaml:1: origins\[0\]: write an origin as/),
  ]);
  expect(problems(origins('"https://Desk.acme.io"'))).toEqual([
    expect.stringMatching(/^gateway.yaml:1: origins\[0\]: write an origin as browsers do/),
  ]);
  expect(problems({ 'assembly.yaml': '', 'gateway.yaml': 'origins: ["https://a.io"]\n' })).toEqual([
    'gateway.yaml:1: origins: dev authentication allows origins of this machine only; set auth.mode: jwt',
  ]);
});

const client = 'sign_in: { client_id: desk, scopes: [openid, offline_access] }\n';

test('the page signs people in at the issuer, as a client that gateway.yaml names', () => {
  const assembly = jwt.replace('audience: timeloom', 'audience: [timeloom, desk]');
  const files = { 'assembly.yaml': assembly, 'gateway.yaml': client };
  const signInOf = (vars = {}) => {
    const { auth } = config(files, vars);
    return auth.mode === 'jwt' ? auth.signIn : undefined;
  };
  expect(signInOf()).toEqual({
    issuer: 'https://login.acme.io',
    name: 'login.acme.io',
    clientId: 'desk',
    clientSecret: undefined,
    scopes: ['openid', 'offline_access'],
    token: 'id',
    parameters: {},
  });
  expect(signInOf({ TIMELOOM_SIGN_IN_SECRET: 'hush' })?.clientSecret).toBe('hush');
});

test.each([
  ['', client, /^gateway.yaml:1: sign_in: requires auth.mode: jwt/],
  [jwt, client, /^gateway.yaml:1: ID tokens are for the client “desk”; add it to auth.audience/],
  [
    jwt.replace('timeloom', 'desk'),
    'sign_in: { client_id: desk, scopes: [profile] }\n',
    /^gateway.yaml:1: add openid to sign_in.scopes/,
  ],
  [
    jwt,
    'sign_in: { client_id: desk, token: access, parameters: { state: x } }\n',
    /the sign-in itself sets client_id/,
  ],
])('settings that allow no sign-in stop the start %#', (assembly, gateway, says) => {
  const files = { 'assembly.yaml': assembly, 'gateway.yaml': gateway };
  expect(problems(files)).toEqual([expect.stringMatching(says)]);
});

test('a shared secret cannot sign people in', () => {
  const env = { TIMELOOM_AUTH: 'jwt', TIMELOOM_AUTH_SECRET: secret };
  expect(problems({ 'gateway.yaml': client }, env)).toEqual([
    expect.stringMatching(/^gateway.yaml:1: sign_in requires an identity provider/),
  ]);
});
