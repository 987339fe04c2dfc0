import type { MiddlewareHandler } from 'hono';
import { isFault } from '../base/fault.ts';
import { isRefusal } from '../base/refusal.ts';
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

/** Whoever cannot show who they are, with a token that is over or none at all, comes as a stranger. */
export function admitToPage({
  authenticate,
  strangers,
  closing,
}: HttpParts): MiddlewareHandler<Env> {
  return async (context, next) => {
    try {
      const token = presentedToken((name) => context.req.header(name), context.req.method);
      await authenticate({ token }, { signal: closing });
    } catch (error) {
      if (!isRefusal(error) && !isFault(error)) throw error;
      strangers.admit(context);
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
