import type { MiddlewareHandler } from 'hono';
import { connectAuth } from '../client/wire.ts';
import { presentedToken } from './credentials.ts';
import type { Env, HttpParts } from './http-context.ts';
import { rolesMax } from './limits.ts';
import { parseInput } from './parse.ts';

/** Every request is somebody's: whoever it is stands in `sender`, for the tenant and project the path names. */
export function identify({
  authenticate,
  closing: signal,
}: Pick<HttpParts, 'authenticate' | 'closing'>): MiddlewareHandler<Env> {
  return async (context, next) => {
    const header = (name: string) => context.req.header(name);
    const token = presentedToken(header, context.req.method);
    const [tenant, project] = [context.req.param('tenant'), context.req.param('project')];
    const claims = { token, tenant, project, user: header('x-timeloom-user') };
    const visitor = parseInput(connectAuth, claims);
    const said = {
      host: header('host'),
      origin: header('origin'),
      roles: rolesIn(header(rolesHeader)),
    };
    const who = await authenticate({ ...visitor, ...said }, { signal });
    const { roles = [], untilMs, ...sender } = who;
    context.set('sender', sender);
    context.set('roles', roles);
    context.set('untilMs', untilMs);
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
