import type { Context } from 'hono';
import { Refusal } from '../../../../base/refusal.ts';
import type { BundleEndpoint } from '../../../../sdk/contract/runtime-bundle.ts';
import type { Env, HttpParts } from '../../../http/context.ts';

/** The path of an endpoint, below which there is nothing. */
export const endpointAddress = '/api/bundles/:tenant/:project/:bundle/mcp/:endpoint';

/** The endpoint that the path of a request names. */
export function findEndpoint(
  { req }: Context<Env>,
  { deps }: HttpParts,
): BundleEndpoint | undefined {
  const { tenant, project } = deps.scope;
  if (req.param('tenant') !== tenant || req.param('project') !== project) return undefined;
  return deps.bundles.endpoint(req.param('bundle') ?? '', req.param('endpoint') ?? '');
}

/** Refusal `forbidden`, not `insufficient_scope`: roles are those of the user, so a client that asks for more does not get them. */
export function assertRole(context: Context<Env>, { access }: BundleEndpoint): void {
  if (access === 'user' || access === 'public') return;
  const roles = context.get('roles');
  if (access.roles.some((role) => roles.includes(role))) return;
  throw new Refusal('forbidden', `requires one of these roles: ${access.roles.join(', ')}`);
}
