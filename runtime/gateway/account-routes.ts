import type { Hono } from 'hono';
import type { Env, HttpParts } from './http/context.ts';
import { addSecretRoutes } from './routes/secret-routes.ts';
import { addUserPropsRoutes } from './routes/user-props-routes.ts';
import { addSessionRoutes } from './session/session-routes.ts';
import { addSignInRoutes } from './session/sign-in-routes.ts';

/** The session of a user, how it begins, and the secrets and props that they set for themselves. */
export function addAccountRoutes(app: Hono<Env>, parts: HttpParts): void {
  addSessionRoutes(app, parts);
  addSignInRoutes(app, parts);
  addSecretRoutes(app, parts);
  addUserPropsRoutes(app, parts);
}
