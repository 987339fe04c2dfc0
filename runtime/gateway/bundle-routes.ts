import type { Hono, MiddlewareHandler } from 'hono';
import { addMcpRoutes } from './endpoints/mcp/mcp-routes.ts';
import type { Env, HttpParts } from './http/context.ts';
import { addOpenApiRoutes } from './openapi/openapi-routes.ts';
import { addOperationRoutes } from './routes/operation-routes.ts';
import { addPropsRoutes } from './routes/props-routes.ts';
import { addWidgetRoutes } from './routes/widget-routes.ts';

/** All routes of bundles. Each route checks access itself. */
export function addBundleRoutes(
  app: Hono<Env>,
  parts: HttpParts,
  known: MiddlewareHandler<Env>,
): void {
  addOperationRoutes(app, parts, known);
  addMcpRoutes(app, parts, known);
  addOpenApiRoutes(app, parts, known);
  addPropsRoutes(app, parts, known);
  addWidgetRoutes(app, parts, known);
}
