import {
  createLocalJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { Refusal } from '../../base/refusal.ts';
import { untilAborted } from '../../base/signal.ts';
import { type TokenFacts, toTokenFacts } from './claims.ts';
import { IssuerKeys } from './keys.ts';
import { skewMsMax } from './limits.ts';
import type { IssuerSettings } from './settings.ts';

/** Verifies tokens. Closing it aborts a pending request to the issuer. */
export type Tokens = Disposable & {
  /** Refusals `unauthenticated` and `forbidden`, Fault `ISSUER_UNREACHABLE`. None of them contains the token. */
  read(
    token: string,
    options: { signal: AbortSignal },
  ): Promise<
    TokenFacts & {
      /** The configured audiences that it names. */
      readonly audiences: readonly string[];
      readonly untilMs: number;
    }
  >;
  /** Whether there are keys to verify with. Fault `ISSUER_UNREACHABLE`. */
  check(): Promise<void>;
};

/** Algorithms with public keys. A public key of the issuer can therefore never be used as a shared secret. */
const signedByIssuer = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const signedBySecret = ['HS256'];

type Verified = { readonly find: JWTVerifyGetKey; readonly algorithms: string[] };
type Parts = { readonly clock: Clock; readonly log: Log };

export function openTokens(settings: IssuerSettings, parts: Parts): Tokens {
  const { issuer, audience, claims } = settings;
  const issued = issuerOf(settings, parts);
  const { find, algorithms } = keysOf(settings, issued);
  const fixed = { issuer, audience: [...audience], algorithms, requiredClaims: ['exp'] };
  const verify = async (token: string) => {
    const currentDate = new Date(parts.clock.now());
    const options = { ...fixed, currentDate, clockTolerance: skewMsMax / 1000 };
    try {
      return await payloadOf(token, find, options);
    } catch (error) {
      throw error instanceof errors.JOSEError ? toRefusal(error, settings) : error;
    }
  };
  return {
    async read(token, { signal }) {
      const payload = await untilAborted(verify(token), signal);
      const untilMs = (payload.exp ?? 0) * 1000 + skewMsMax;
      const named = [payload.aud].flat();
      const audiences = audience.filter((each) => named.includes(each));
      return { ...toTokenFacts(payload, claims), audiences, untilMs };
    },
    check: async () => issued?.check(),
    [Symbol.dispose]: () => issued?.[Symbol.dispose](),
  };
}

/** The source of keys; undefined if the settings contain them. */
function issuerOf({ issuer, keys }: IssuerSettings, parts: Parts): IssuerKeys | undefined {
  if (keys.from === 'file' || keys.from === 'secret') return undefined;
  return new IssuerKeys({ issuer, url: keys.from === 'address' ? keys.url : undefined }, parts);
}

function keysOf({ keys }: IssuerSettings, issued: IssuerKeys | undefined): Verified {
  if (keys.from === 'secret') {
    const secret = new TextEncoder().encode(keys.secret);
    return { find: () => secret, algorithms: signedBySecret };
  }
  const find = issued?.find ?? createLocalJWKSet(keys.from === 'file' ? keys.keys : { keys: [] });
  return { find, algorithms: signedByIssuer };
}

/** A token that names no key may be signed with any matching key. */
async function payloadOf(
  token: string,
  find: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, find, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (wrong) {
        if (!(wrong instanceof errors.JWSSignatureVerificationFailed)) throw wrong;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** Says what to do; reveals nothing about the token or its verification. */
function toRefusal(error: errors.JOSEError, { issuer, audience }: IssuerSettings): Refusal {
  return new Refusal(
    'unauthenticated',
    adviceFor(error, { issuer, audience: audience.join(', ') }),
  );
}

function adviceFor(error: errors.JOSEError, wanted: { issuer: string; audience: string }): string {
  if (error instanceof errors.JWTExpired) return 'the token expired; get a new one';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'aud') return `the token is not for the audience ${wanted.audience}`;
    if (error.claim === 'iss') return `the token is not from the issuer ${wanted.issuer}`;
    if (error.claim === 'nbf') return 'the token is not valid yet';
    return `the claim “${error.claim}” of the token is missing or invalid`;
  }
  return `the token was not signed by ${wanted.issuer}; get a new one`;
}
