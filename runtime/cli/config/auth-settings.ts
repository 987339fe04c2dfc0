import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { secretBytesMin } from '../../adapters/issuer/limits.ts';
import { isSafeAddress } from '../../adapters/issuer/safe-address.ts';
import {
  defaultClaims,
  type IssuerSettings,
  type KeySource,
} from '../../adapters/issuer/settings.ts';
import type { SignInSettings } from '../../adapters/issuer/sign-in/settings.ts';
import { parseJson } from '../../base/json.ts';
import { devNotLocal } from '../../gateway/auth/authenticate.ts';
import { isLoopback } from '../../gateway/auth/origins.ts';
import type { AuthorizationServer } from '../../gateway/ports/tokens.ts';
import type { Descriptors } from './descriptors.ts';
import { signInProblem, signInSecretName, toSignIn } from './sign-in/sign-in-settings.ts';

/** How users authenticate, and which origins are allowed. */
export type AuthSettings =
  | { readonly mode: 'dev'; readonly origins: readonly string[] }
  | {
      readonly mode: 'jwt';
      readonly issuer: IssuerSettings;
      readonly origins: readonly string[];
      /** Undefined: people paste a token. */
      readonly signIn: SignInSettings | undefined;
      /** Undefined: the issuer is not one that clients can ask for a token. */
      readonly authorizationServer: AuthorizationServer | undefined;
    };

type Sources = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly descriptors: Descriptors;
  readonly dir: string;
  readonly problems: string[];
  /** Value in `secrets.yaml`. */
  secret(id: string): string | undefined;
};

const modeName = 'TIMELOOM_AUTH';
const hostName = 'TIMELOOM_HOST';
const secretName = 'TIMELOOM_AUTH_SECRET';
/** Default issuer and audience of tokens that are signed with the secret. */
const defaultIssuer = 'timeloom';

const issuerMissing = `jwt requires the address of the token issuer, or ${secretName} (openssl rand -hex 32)`;

/** Runs before anything opens, so errors appear at once and not after the database has started. */
export function toAuth(sources: Sources): { readonly auth: AuthSettings; readonly host: string } {
  const { env, descriptors, problems } = sources;
  const { origins = [] } = descriptors.gateway;
  const auth: AuthSettings =
    modeOf(sources) === 'jwt' ? { ...toJwt(sources), origins } : { mode: 'dev', origins };
  if (auth.mode === 'dev' && descriptors.gateway.sign_in) {
    const place = descriptors.place('gateway.yaml', ['sign_in']);
    problems.push(`${place}: sign_in: requires auth.mode: jwt in assembly.yaml`);
  }
  const host = env[hostName] || '127.0.0.1';
  if (auth.mode === 'dev' && !isLoopback(host)) problems.push(`${hostName}: ${devNotLocal(host)}`);
  if (auth.mode === 'dev' && !origins.every((origin) => isLoopback(new URL(origin).hostname))) {
    const place = descriptors.place('gateway.yaml', ['origins']);
    problems.push(
      `${place}: origins: dev authentication allows origins of this machine only; set auth.mode: jwt`,
    );
  }
  return { auth, host };
}

function modeOf({ env, descriptors, problems }: Sources): AuthSettings['mode'] {
  const mode = descriptors.assembly.auth?.mode ?? (env[modeName] || 'dev');
  if (mode === 'dev' || mode === 'jwt') return mode;
  problems.push(`${modeName}: “${mode}” is not one of dev, jwt`);
  return 'dev';
}

function toJwt(sources: Sources) {
  const { env, descriptors } = sources;
  const { issuer, audience, claims, scopes } = descriptors.assembly.auth ?? {};
  const isOwn = secretOf(sources) !== undefined;
  const names = toList(
    audience ?? env['TIMELOOM_AUTH_AUDIENCE'] ?? (isOwn ? defaultIssuer : undefined),
  );
  const from = issuer ?? env['TIMELOOM_AUTH_ISSUER'] ?? (isOwn ? defaultIssuer : '');
  if (from === '') addProblem(sources, 'issuer', issuerMissing);
  if (names.length === 0)
    addProblem(sources, 'audience', 'jwt requires the audience of the tokens');
  const issued = {
    issuer: from,
    audience: names,
    keys: toKeys(sources, from),
    claims: { ...defaultClaims, ...claims },
  };
  const authorizationServer = toAuthorizationServer(issued, scopes);
  return {
    mode: 'jwt' as const,
    issuer: issued,
    signIn: signInOf(sources, issued),
    authorizationServer,
  };
}

/** A shared secret is that of a login without OAuth, and an issuer may be a name instead of an address. */
function toAuthorizationServer(
  { issuer, keys }: IssuerSettings,
  scopes: readonly string[] = [],
): AuthorizationServer | undefined {
  const isServer = keys.from !== 'secret' && URL.canParse(issuer) && isSafeAddress(issuer);
  return isServer ? { issuer, scopes } : undefined;
}

function signInOf(sources: Sources, issuer: IssuerSettings): SignInSettings | undefined {
  const { descriptors, problems, env } = sources;
  const { sign_in: descriptor } = descriptors.gateway;
  if (!descriptor) return undefined;
  const secret = sources.secret(signInSecretName) ?? (env[signInSecretName] || undefined);
  const given = { descriptor, issuer, secret };
  const problem = signInProblem(given, { keys: issuer.keys.from });
  if (problem === undefined) return toSignIn(given);
  problems.push(`${descriptors.place('gateway.yaml', ['sign_in'])}: ${problem}`);
  return undefined;
}

/** The source of keys: one that is configured, a secret, or else the issuer's discovery document. Configuring several is an error. */
function toKeys(sources: Sources, issuer: string): KeySource {
  const { descriptors } = sources;
  const { jwks_uri: url, jwks: file } = descriptors.assembly.auth ?? {};
  const secret = secretOf(sources);
  const named = [url, file, secret].filter((each) => each !== undefined);
  if (named.length > 1) {
    addProblem(sources, 'jwks_uri', `set only one of jwks_uri, jwks and ${secretName}`);
  }
  if (secret !== undefined) return { from: 'secret', secret: toSecret(secret, sources) };
  if (file !== undefined) return { from: 'file', keys: readKeys(file, sources) };
  if (url !== undefined) return { from: 'address', url };
  if (issuer !== '' && !(URL.canParse(issuer) && isSafeAddress(issuer))) {
    const fix = 'use its https address, or set jwks_uri or jwks';
    addProblem(sources, 'issuer', `keys cannot be fetched safely from “${issuer}”; ${fix}`);
  }
  return { from: 'issuer' };
}

function secretOf(sources: Sources): string | undefined {
  return sources.secret(secretName) ?? (sources.env[secretName] || undefined);
}

function toSecret(secret: string, { problems }: Sources): string {
  if (Buffer.byteLength(secret) < secretBytesMin) {
    problems.push(
      `${secretName}: must have at least ${secretBytesMin} bytes, or it can be guessed`,
    );
  }
  return secret;
}

const PublicKey = z
  .looseObject({ kty: z.enum(['RSA', 'EC', 'OKP']) })
  .refine((key) => key['d'] === undefined, 'a private key');
const KeySet = z.object({ keys: z.array(PublicKey).min(1) });

function readKeys(file: string, sources: Sources) {
  try {
    const found = KeySet.safeParse(parseJson(readFileSync(resolve(sources.dir, file), 'utf8')));
    if (found.success) return found.data;
    addProblem(sources, 'jwks', `${file} is not a set of public keys`);
  } catch (error) {
    addProblem(sources, 'jwks', error instanceof Error ? error.message : String(error));
  }
  return { keys: [] };
}

const variables: Readonly<Record<string, string>> = {
  issuer: 'TIMELOOM_AUTH_ISSUER',
  audience: 'TIMELOOM_AUTH_AUDIENCE',
};

/** Names the environment variable where the setting is not in a descriptor. */
function addProblem({ descriptors, problems }: Sources, key: string, message: string): void {
  const { auth } = descriptors.assembly;
  const variable = auth === undefined ? variables[key] : undefined;
  const place = descriptors.place('assembly.yaml', ['auth', key]);
  problems.push(`${variable ?? place}: ${variable === undefined ? `auth.${key}: ` : ''}${message}`);
}

function toList(value: string | readonly string[] | undefined): readonly string[] {
  const all = typeof value === 'string' ? value.split(',') : (value ?? []);
  return all.map((each) => each.trim()).filter((each) => each !== '');
}
