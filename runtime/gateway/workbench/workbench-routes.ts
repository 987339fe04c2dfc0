import type { Hono } from 'hono';
import type { Env, HttpParts } from '../http/context.ts';
import { addAgentRoutes } from './agent-routes.ts';
import { addBlockRoutes } from './block-routes.ts';
import { addCacheRoutes } from './cache-routes.ts';
import { addCheckRoutes } from './check-routes.ts';
import { addEvalRoutes } from './eval-routes.ts';
import { addFamilyRoutes } from './family-routes.ts';
import { addHealthRoutes } from './health-routes.ts';
import { createInspection } from './inspection.ts';
import { addLiveRoutes } from './live-routes.ts';
import { addProjectRoutes } from './project-routes.ts';
import { addRatingRoutes } from './rating-routes.ts';
import { addRerunRoutes } from './rerun-routes.ts';
import { addRoundRoutes } from './round-routes.ts';

/** Routes that show what a conversation is made of. They change no conversation: a tool is tried, and a turn run again, in a new one. */
export function addWorkbenchRoutes(app: Hono<Env>, parts: HttpParts): void {
  const inspection = createInspection(parts);
  addProjectRoutes(app, inspection);
  addFamilyRoutes(app, inspection);
  addEvalRoutes(app, inspection);
  addHealthRoutes(app, inspection);
  addRatingRoutes(app, inspection);
  addLiveRoutes(app, inspection);
  addAgentRoutes(app, inspection);
  addRoundRoutes(app, inspection);
  addRerunRoutes(app, inspection);
  addBlockRoutes(app, inspection);
  addCacheRoutes(app, inspection);
  addCheckRoutes(app, inspection);
}
