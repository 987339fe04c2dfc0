import type { Context, MiddlewareHandler } from 'hono';
import { isFault } from '../../base/fault.ts';
import { isRefusal } from '../../base/refusal.ts';
import { connectAuth } from '../../client/protocol/request-schemas.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import { presentedToken } from '../auth/credentials.ts';
import { parseInput } from '../input/parse-input.ts';
import { limitBody } from './body-limit.ts';
import type { Env, HttpParts } from './context.ts';
import { rolesMax } from './limits.ts';
import { namedProject } from './named-project.ts';

/** Public operations verify their callers themselves: a webhook can come from any page or program. */
const publicOperation = /^\/api\/bundles\/[^/]+\/[^/]+\/[^/]+\/public\//;

/** Runs before anything else of a request is read, and rejects pages of other origins. */
export function checkOrigin({
  originGuard,
}: Pick<HttpParts, 'originGuard'>): MiddlewareHandler<Env> {
  return async ({ req }, next) => {
    const header = (name: string) => req.header(name);
    originGuard.assertHost(header);
    if (!publicOperation.test(req.path)) originGuard.assertOrigin(header, req.method);
    await next();
  };
}

/** Authenticates the request for the tenant and project that it names and sets `sender`. Only then the body is read. */
export function identify({
  authenticate,
  anonymous,
  closing: signal,
}: Pick<HttpParts, 'authenticate' | 'anonymous' | 'closing'>): MiddlewareHandler<Env> {
  const limit = limitBody();
  return async (context, next) => {
    const header = (name: string) => context.req.header(name);
    const token = presentedToken(header, context.req.method);
    const { tenant, project } = projectOf(context);
    const claims = { token, tenant, project, user: header('x-timeloom-user') };
    const visitor = parseInput(connectAuth, claims);
    const devClaims = { roles: rolesIn(header(rolesHeader)) };
    const { pathname: path } = new URL(context.req.url);
    const identity = await authenticate({ ...visitor, ...devClaims, path }, { signal });
    anonymous.delete(context.env.incoming.socket);
    const { roles = [], untilMs, ...sender } = identity;
    context.set('sender', sender);
    context.set('roles', roles);
    context.set('untilMs', untilMs);
    return limit(context, next);
  };
}

/** The one in the path, else the one that a header or parameter names. */
function projectOf({ req }: Context): Partial<ProjectScope> {
  const [tenant, project] = [req.param('tenant'), req.param('project')];
  if (tenant === undefined || project === undefined) return namedProject(req.raw) ?? {};
  return { tenant, project };
}

/** A request without a valid token counts against the limit of anonymous requests. */
export function admitToPage({
  authenticate,
  anonymousLimit,
  closing,
}: HttpParts): MiddlewareHandler<Env> {
  return async (context, next) => {
    try {
      const token = presentedToken((name) => context.req.header(name), context.req.method);
      await authenticate({ token }, { signal: closing });
    } catch (error) {
      if (!isRefusal(error) && !isFault(error)) throw error;
      anonymousLimit.admit(context);
    }
    await next();
  };
}

const rolesHeader = 'x-timeloom-roles';

function rolesIn(header: string | undefined): readonly string[] | undefined {
  return header
    ?.split(',')
    .map((role) => role.trim())
    .filter((role) => role !== '')
    .slice(0, rolesMax);
}
