import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { Fault, isFault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { fetchFromIssuer } from './fetch-json.ts';
import { keysAgeMsMax, keysCooldownMs, keysKeptMsMax } from './limits.ts';
import { isSafeAddress } from './safe-address.ts';

export type IssuerEndpoint = {
  readonly issuer: string;
  /** Address of the keys; undefined: use the issuer's discovery document. */
  readonly url?: string | undefined;
};

type CachedKeys = { readonly find: JWTVerifyGetKey; readonly atMs: number };
type Parts = { readonly clock: Clock; readonly log: Log };

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });
const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/**
 * Caches the public keys of an issuer. Fetches them on first use, when they are old, and when a token names an unknown
 * key. While the issuer does not answer, the cached keys stay in use.
 */
export class IssuerKeys implements Disposable {
  readonly #place: IssuerEndpoint;
  readonly #parts: Parts;
  readonly #closing = new AbortController();
  #held: CachedKeys | undefined;
  #asking: Promise<CachedKeys> | undefined;
  #askedMs = Number.NEGATIVE_INFINITY;
  /** Why the last request failed. */
  #failure: unknown;

  constructor(place: IssuerEndpoint, parts: Parts) {
    this.#place = place;
    this.#parts = parts;
  }

  /** The key that a token names. Fault `ISSUER_UNREACHABLE`; errors of `jose` if there is no such key. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const held = await this.#current();
    try {
      return await held.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const later = await this.#newerThan(held);
      if (!later) throw error;
      return await later.find(header, token);
    }
  };

  /** Fault `ISSUER_UNREACHABLE`. */
  async check(): Promise<void> {
    await this.#current();
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
  }

  async #current(): Promise<CachedKeys> {
    const held = this.#held;
    if (held && this.#ageMs(held) <= keysAgeMsMax) return held;
    if (held && this.#ageMs(held) <= keysKeptMsMax) return (await this.#newerThan(held)) ?? held;
    if (!this.#asking && this.#isCooling()) throw this.#failure;
    return this.#ask();
  }

  /** Fetches newer keys; undefined during the cool-down, or if the issuer does not answer. */
  async #newerThan(held: CachedKeys): Promise<CachedKeys | undefined> {
    // Another request has already fetched newer keys.
    if (this.#held !== held) return this.#held;
    if (!this.#asking && this.#isCooling()) return undefined;
    try {
      return await this.#ask();
    } catch (error) {
      if (!isFault(error)) throw error;
      this.#parts.log.warn('issuer does not answer, using cached keys', { error });
      return undefined;
    }
  }

  /** Sends one request at a time; concurrent callers share it. */
  #ask(): Promise<CachedKeys> {
    this.#askedMs = this.#parts.clock.monotonic();
    this.#asking ??= this.#fetch().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #fetch(): Promise<CachedKeys> {
    try {
      const url = this.#place.url ?? (await this.#discover());
      const found = KeySet.safeParse(await this.#get(url));
      if (!found.success) throw unusableAnswer(`${url} contains no keys`);
      const held = { find: createLocalJWKSet(found.data), atMs: this.#parts.clock.monotonic() };
      this.#held = held;
      return held;
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  async #discover(): Promise<string> {
    const { issuer } = this.#place;
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const found = Discovery.safeParse(await this.#get(url));
    if (!found.success) throw unusableAnswer(`${url} has no jwks_uri; set auth.jwks_uri`);
    const { issuer: said, jwks_uri } = found.data;
    if (said !== issuer)
      throw unusableAnswer(`${url} has issuer “${said}”, but auth.issuer is “${issuer}”`);
    if (!isSafeAddress(jwks_uri)) throw unusableAnswer(`${jwks_uri} is not https`);
    return jwks_uri;
  }

  #get(url: string): Promise<unknown> {
    return fetchFromIssuer(url, { signal: this.#closing.signal });
  }

  #ageMs({ atMs }: CachedKeys): number {
    return this.#parts.clock.monotonic() - atMs;
  }

  #isCooling(): boolean {
    return this.#parts.clock.monotonic() - this.#askedMs < keysCooldownMs;
  }
}

function unusableAnswer(because: string): Fault {
  return new Fault('ISSUER_UNREACHABLE', { because });
}
