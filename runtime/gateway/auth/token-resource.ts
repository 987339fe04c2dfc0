import { Refusal } from '../../base/refusal.ts';

/** An MCP endpoint is a resource of its own: clients ask the issuer for tokens with its address as audience (RFC 8707). */
const endpointPath = /^\/api\/bundles\/[^/]+\/[^/]+\/[^/]+\/mcp\/[^/]+$/;

/**
 * Refusal `unauthenticated`: every audience of the token that this installation has is the address of an MCP endpoint, and
 * the request is for another path. The configuration decides which hosts are ours, not the `Host` of a request.
 */
export function assertResource(audiences: readonly string[], path: string | undefined): void {
  const paths = audiences.map(endpointPathOf);
  const isGeneral = paths.length === 0 || paths.includes(undefined);
  if (isGeneral || (path !== undefined && paths.includes(path))) return;
  throw new Refusal('unauthenticated', `the token is only for ${audiences.join(', ')}`);
}

/** Undefined: the audience is not an MCP endpoint. */
function endpointPathOf(audience: string): string | undefined {
  if (!URL.canParse(audience)) return undefined;
  const { pathname } = new URL(audience);
  return endpointPath.test(pathname) ? pathname : undefined;
}
