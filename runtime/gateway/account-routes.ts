import type { Hono } from 'hono';
import type { Env, HttpParts } from './http/context.ts';
import { addSecretRoutes } from './routes/secret-routes.ts';
import { addSessionRoutes } from './routes/session-routes.ts';

/** The session of a user, and the secrets that they set for themselves. */
export function addAccountRoutes(app: Hono<Env>, parts: HttpParts): void {
  addSessionRoutes(app, parts);
  addSecretRoutes(app, parts);
}
