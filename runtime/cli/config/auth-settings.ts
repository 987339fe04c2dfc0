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
import { parseJson } from '../../base/json.ts';
import { devNotLocal } from '../../gateway/auth/authenticate.ts';
import { isLoopback } from '../../gateway/auth/origins.ts';
import type { Descriptors } from './descriptors.ts';

/** How visitors show who they are, and from where they may come. */
export type AuthSettings =
  | { readonly mode: 'dev'; readonly origins: readonly string[] }
  | {
      readonly mode: 'jwt';
      readonly issuer: IssuerSettings;
      readonly origins: readonly string[];
    };

type Sources = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly descriptors: Descriptors;
  readonly dir: string;
  readonly problems: string[];
  /** What `secrets.yaml` says. */
  secret(id: string): string | undefined;
};

const modeName = 'TIMELOOM_AUTH';
const hostName = 'TIMELOOM_HOST';
const secretName = 'TIMELOOM_AUTH_SECRET';
/** Issuer and audience of tokens that are signed with the secret, unless others are set. */
const defaultIssuer = 'timeloom';

const issuerMissing = `jwt needs the address of the issuer of tokens, or ${secretName} (openssl rand -hex 32)`;

/** Said before anything opens: a log that is made first takes seconds to say no. */
export function toAuth(sources: Sources): { readonly auth: AuthSettings; readonly host: string } {
  const { env, descriptors, problems } = sources;
  const { origins = [] } = descriptors.gateway;
  const auth: AuthSettings =
    modeOf(sources) === 'jwt' ? { ...toJwt(sources), origins } : { mode: 'dev', origins };
  const host = env[hostName] || '127.0.0.1';
  if (auth.mode === 'dev' && !isLoopback(host)) problems.push(`${hostName}: ${devNotLocal(host)}`);
  if (auth.mode === 'dev' && !origins.every((origin) => isLoopback(new URL(origin).hostname))) {
    const place = descriptors.place('gateway.yaml', ['origins']);
    problems.push(
      `${place}: origins: dev authentication serves this machine only; set auth.mode: jwt`,
    );
  }
  return { auth, host };
}

function modeOf({ env, descriptors, problems }: Sources): AuthSettings['mode'] {
  const said = descriptors.assembly.auth?.mode ?? (env[modeName] || 'dev');
  if (said === 'dev' || said === 'jwt') return said;
  problems.push(`${modeName}: “${said}” is not one of dev, jwt`);
  return 'dev';
}

function toJwt(sources: Sources) {
  const { env, descriptors } = sources;
  const { issuer, audience, claims } = descriptors.assembly.auth ?? {};
  const isOwn = secretOf(sources) !== undefined;
  const names = toList(
    audience ?? env['TIMELOOM_AUTH_AUDIENCE'] ?? (isOwn ? defaultIssuer : undefined),
  );
  const from = issuer ?? env['TIMELOOM_AUTH_ISSUER'] ?? (isOwn ? defaultIssuer : '');
  if (from === '') addProblem(sources, 'issuer', issuerMissing);
  if (names.length === 0)
    addProblem(sources, 'audience', 'jwt needs the name that tokens are made out to');
  return {
    mode: 'jwt' as const,
    issuer: {
      issuer: from,
      audience: names,
      keys: toKeys(sources, from),
      claims: { ...defaultClaims, ...claims },
    },
  };
}

/** From where keys come: named, or a secret, or else the issuer is asked. More than one of them is a mistake. */
function toKeys(sources: Sources, issuer: string): KeySource {
  const { descriptors } = sources;
  const { jwks_uri: url, jwks: file } = descriptors.assembly.auth ?? {};
  const secret = secretOf(sources);
  const named = [url, file, secret].filter((each) => each !== undefined);
  if (named.length > 1) {
    addProblem(sources, 'jwks_uri', `tokens are signed one way: jwks_uri, jwks or ${secretName}`);
  }
  if (secret !== undefined) return { from: 'secret', secret: toSecret(secret, sources) };
  if (file !== undefined) return { from: 'file', keys: readKeys(file, sources) };
  if (url !== undefined) return { from: 'address', url };
  if (issuer !== '' && !(URL.canParse(issuer) && isSafeAddress(issuer))) {
    const fix = 'write its https address, or say where its keys are with jwks_uri or jwks';
    addProblem(sources, 'issuer', `“${issuer}” cannot be asked for keys in safety; ${fix}`);
  }
  return { from: 'issuer' };
}

function secretOf(sources: Sources): string | undefined {
  return sources.secret(secretName) ?? (sources.env[secretName] || undefined);
}

function toSecret(secret: string, { problems }: Sources): string {
  if (Buffer.byteLength(secret) < secretBytesMin) {
    problems.push(
      `${secretName}: it needs ${secretBytesMin} bytes, or others can find it by trying`,
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
    addProblem(sources, 'jwks', `${file} holds no set of public keys`);
  } catch (error) {
    addProblem(sources, 'jwks', error instanceof Error ? error.message : String(error));
  }
  return { keys: [] };
}

const variables: Readonly<Record<string, string>> = {
  issuer: 'TIMELOOM_AUTH_ISSUER',
  audience: 'TIMELOOM_AUTH_AUDIENCE',
};

/** Where there is no descriptor to mend, the variable is named as well. */
function addProblem({ descriptors, problems }: Sources, key: string, message: string): void {
  const { auth } = descriptors.assembly;
  const variable = auth === undefined ? variables[key] : undefined;
  const place = descriptors.place('assembly.yaml', ['auth', key]);
  problems.push(`${variable ?? place}: ${variable === undefined ? `auth.${key}: ` : ''}${message}`);
}

function toList(said: string | readonly string[] | undefined): readonly string[] {
  const all = typeof said === 'string' ? said.split(',') : (said ?? []);
  return all.map((each) => each.trim()).filter((each) => each !== '');
}
