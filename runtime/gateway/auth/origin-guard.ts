import type { IncomingMessage } from 'node:http';
import type { AuthMode } from '../ports/tokens.ts';
import type { Authenticate } from './authenticate.ts';
import { bearerOf } from './credentials.ts';
import { type Arrival, assertLocalHost, assertOrigin } from './origins.ts';

type HeaderOf = (name: string) => string | undefined;

/** What is checked of every request and handshake before anything else of it is read. */
export type Entry = {
  /** Refusal `forbidden`. */
  assertHost(header: HeaderOf): void;
  /** Refusal `forbidden`. */
  assertOrigin(header: HeaderOf, method: string): void;
};

export function createEntry(auth: AuthMode): Entry {
  const origins = auth.origins ?? [];
  return {
    assertHost: (header) => {
      if (auth.mode === 'dev') assertLocalHost(header('host'));
    },
    assertOrigin: (header, method) => assertOrigin(arrivalOf(header, method), origins),
  };
}

function arrivalOf(header: HeaderOf, method: string): Arrival {
  const isReading = method === 'GET' || method === 'HEAD';
  const isWindow =
    header('sec-fetch-mode') === 'navigate' && header('sec-fetch-dest') === 'document';
  return {
    host: header('host'),
    origin: header('origin'),
    site: header('sec-fetch-site'),
    navigates: isReading && isWindow,
  };
}

/** Why a connection is refused before its handshake; undefined: it may say who it is. Never rejects. */
export type Handshake = (
  request: IncomingMessage,
  signal: AbortSignal,
) => Promise<string | undefined>;

/** By its headers alone: from where it comes, and the token in them, where there is one. */
export function createHandshake({
  entry,
  authenticate,
  explain,
}: {
  entry: Entry;
  authenticate: Authenticate;
  /** What the client may read of a failure. */
  explain(error: unknown): { readonly message: string };
}): Handshake {
  return async ({ headers, method = 'GET' }, signal) => {
    const header = (name: string) => [headers[name]].flat()[0];
    try {
      entry.assertHost(header);
      entry.assertOrigin(header, method);
      const token = bearerOf(header);
      if (token !== undefined) await authenticate({ token }, { signal });
      return undefined;
    } catch (error) {
      return explain(error).message;
    }
  };
}
