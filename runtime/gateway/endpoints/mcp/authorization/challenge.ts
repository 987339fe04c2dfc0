import type { Context } from 'hono';
import { presentedToken } from '../../../auth/credentials.ts';
import type { Env, HttpParts } from '../../../http/context.ts';
import { publicOrigin } from '../../../http/public-origin.ts';
import { authorizationServerOf } from '../../../ports/tokens.ts';
import { findEndpoint } from './endpoint-access.ts';

export const metadataPath = '/.well-known/oauth-protected-resource';

/** `WWW-Authenticate` of a response with status 401 (RFC 6750, RFC 9728): why, and where clients learn how to get a token. */
export function challengeOf(context: Context<Env>, parts: HttpParts): string {
  const { req } = context;
  const { auth } = parts.deps;
  // The bundle verifies callers of a public endpoint. No token of the issuer changes its answer.
  if (auth.mode === 'dev' || findEndpoint(context, parts)?.access === 'public') return 'Bearer';
  const server = authorizationServerOf(auth);
  const isPresented = presentedToken((name) => req.header(name), req.method) !== undefined;
  const address = `${publicOrigin(context)}${metadataPath}${new URL(req.url).pathname}`;
  const fields = [
    ...(isPresented ? ['error="invalid_token"'] : []),
    ...(server ? [`resource_metadata="${address}"`] : []),
    ...(server && server.scopes.length > 0 ? [`scope="${server.scopes.join(' ')}"`] : []),
  ];
  return ['Bearer', fields.join(', ')].join(' ').trim();
}
