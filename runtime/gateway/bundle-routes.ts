import type { Hono, MiddlewareHandler } from 'hono';
import type { Env, HttpParts } from './http/context.ts';
import { addOpenApi } from './openapi/openapi-routes.ts';
import { addOperations } from './routes/operation-routes.ts';
import { addProps } from './routes/props-routes.ts';
import { addWidgets } from './routes/widget-routes.ts';

/** Everything that bundles bring, and what operators and programs ask about it. Each route says itself whom it admits. */
export function addBundles(app: Hono<Env>, parts: HttpParts, known: MiddlewareHandler<Env>): void {
  addOperations(app, parts, known);
  addOpenApi(app, parts, known);
  addProps(app, parts, known);
  addWidgets(app, parts, known);
}
