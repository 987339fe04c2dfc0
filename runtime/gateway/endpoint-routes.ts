import type { Hono, MiddlewareHandler } from 'hono';
import { addA2aRoutes, shapeA2aErrors } from './endpoints/a2a/a2a-routes.ts';
import { addAgUiRoutes, shapeAgUiErrors } from './endpoints/ag-ui/ag-ui-routes.ts';
import { addAiSdkRoutes, shapeAiSdkErrors } from './endpoints/ai-sdk/ai-sdk-routes.ts';
import {
  addLangGraphRoutes,
  langGraphPaths,
  shapeLangGraphErrors,
} from './endpoints/langgraph/langgraph-routes.ts';
import { addMetadataRoutes } from './endpoints/mcp/authorization/metadata-routes.ts';
import { shapeMcpErrors } from './endpoints/mcp/messages/refuse.ts';
import { addOpenAiRoutes, shapeOpenAiErrors } from './endpoints/openai/openai-routes.ts';
import type { Env, HttpParts } from './http/context.ts';

/** Errors of the endpoints of other protocols have their shapes, also before authentication. */
export function shapeEndpointErrors(app: Hono<Env>): void {
  app.use('/api/ai/*', shapeAiSdkErrors);
  app.use('/api/ag-ui/*', shapeAgUiErrors);
  app.use('/api/a2a/*', shapeA2aErrors);
  app.use('/api/bundles/:tenant/:project/:bundle/mcp/*', shapeMcpErrors);
  for (const paths of ['/v1/*', '/api/openai/*']) app.use(paths, shapeOpenAiErrors);
  for (const paths of langGraphPaths) app.use(paths, shapeLangGraphErrors);
}

/** What clients read before they have a token. */
export function addEndpointMetadata(app: Hono<Env>, parts: HttpParts): void {
  addMetadataRoutes(app, parts);
}

/** The endpoints of other protocols. */
export function addEndpointRoutes(
  app: Hono<Env>,
  parts: HttpParts,
  known: MiddlewareHandler<Env>,
): void {
  addAiSdkRoutes(app, parts, known);
  addAgUiRoutes(app, parts, known);
  addOpenAiRoutes(app, parts, known);
  addLangGraphRoutes(app, parts, known);
  addA2aRoutes(app, parts, known);
}
