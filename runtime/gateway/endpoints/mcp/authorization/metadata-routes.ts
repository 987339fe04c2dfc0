import type { Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { Refusal } from '../../../../base/refusal.ts';
import type { Env, HttpParts } from '../../../http/context.ts';
import { preflightSecondsMax } from '../../../http/limits.ts';
import { publicOrigin } from '../../../http/public-origin.ts';
import { authorizationServerOf } from '../../../ports/tokens.ts';
import { metadataPath } from './challenge.ts';
import { endpointAddress, findEndpoint } from './endpoint-access.ts';

/**
 * Tells clients where to get a token (RFC 9728): for the whole server, and for each MCP endpoint at the address that
 * has the path of the endpoint appended. They are read before a user signs in, by pages of any origin.
 */
export function addMetadataRoutes(app: Hono<Env>, parts: HttpParts): void {
  const allowAll = cors({ origin: '*', allowMethods: ['GET'], maxAge: preflightSecondsMax });
  for (const path of [metadataPath, `${metadataPath}${endpointAddress}`]) {
    app.use(path, allowAll);
    app.get(path, (context) => getMetadata(context, parts));
  }
}

/** The same for an endpoint that does not exist: only users learn which endpoints there are. */
function getMetadata(context: Context<Env>, parts: HttpParts): Response {
  const { auth } = parts.deps;
  const server = authorizationServerOf(auth);
  if (!server) throw new Refusal('not_found', noServer);
  if (findEndpoint(context, parts)?.access === 'public') {
    throw new Refusal('not_found', 'the bundle verifies the callers of this endpoint itself');
  }
  const { pathname } = new URL(context.req.url);
  const { issuer, scopes } = server;
  return context.json({
    resource: `${publicOrigin(context)}${pathname.slice(metadataPath.length)}`,
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    ...(scopes.length > 0 && { scopes_supported: scopes }),
  });
}

const noServer =
  'this server has no authorization server: its tokens are not from an identity provider';
