import type { IncomingMessage } from 'node:http';
import type { AuthMode } from '../ports/tokens.ts';
import type { Authenticate } from './authenticate.ts';
import { bearerOf } from './credentials.ts';
import { assertLocalHost, assertOrigin, type RequestOrigin } from './origins.ts';

type HeaderOf = (name: string) => string | undefined;

/** Checks of every request and handshake, before anything else of it is read. */
export type OriginGuard = {
  /** Refusal `forbidden`. */
  assertHost(header: HeaderOf): void;
  /** Refusal `forbidden`. */
  assertOrigin(header: HeaderOf, method: string): void;
};

export function createOriginGuard(auth: AuthMode): OriginGuard {
  const origins = auth.origins ?? [];
  return {
    assertHost: (header) => {
      if (auth.mode === 'dev') assertLocalHost(header('host'));
    },
    assertOrigin: (header, method) => assertOrigin(originOf(header, method), origins),
  };
}

function originOf(header: HeaderOf, method: string): RequestOrigin {
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

/** The reason to refuse a connection before its handshake; undefined: it may authenticate. Never rejects. */
export type HandshakeCheck = (
  request: IncomingMessage,
  signal: AbortSignal,
) => Promise<string | undefined>;

/** Checks the headers only: the origin and, if there is one, the token. */
export function createHandshakeCheck({
  originGuard,
  authenticate,
  explain,
}: {
  originGuard: OriginGuard;
  authenticate: Authenticate;
  /** The part of an error that the client may read. */
  explain(error: unknown): { readonly message: string };
}): HandshakeCheck {
  return async ({ headers, method = 'GET' }, signal) => {
    const header = (name: string) => [headers[name]].flat()[0];
    try {
      originGuard.assertHost(header);
      originGuard.assertOrigin(header, method);
      const token = bearerOf(header);
      if (token !== undefined) await authenticate({ token }, { signal });
      return undefined;
    } catch (error) {
      return explain(error).message;
    }
  };
}
