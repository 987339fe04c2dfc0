import type { Hono } from 'hono';
import type { Env, HttpParts } from '../http/context.ts';
import { addAgentRoutes } from './agent-routes.ts';
import { addBlockRoutes } from './block-routes.ts';
import { addCacheRoutes } from './cache-routes.ts';
import { addCheckRoutes } from './check-routes.ts';
import { createInspection } from './inspection.ts';
import { addProjectRoutes } from './project-routes.ts';
import { addReplyRoutes } from './reply-routes.ts';
import { addRoundRoutes } from './round-routes.ts';

/** Routes that show what a conversation is made of. They change nothing, except that a tool can be tried. */
export function addWorkbenchRoutes(app: Hono<Env>, parts: HttpParts): void {
  const inspection = createInspection(parts);
  addProjectRoutes(app, inspection);
  addAgentRoutes(app, inspection);
  addRoundRoutes(app, inspection);
  addReplyRoutes(app, inspection);
  addBlockRoutes(app, inspection);
  addCacheRoutes(app, inspection);
  addCheckRoutes(app, inspection);
}
