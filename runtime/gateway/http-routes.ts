import type { Hono } from 'hono';
import { addAccountRoutes } from './account-routes.ts';
import { addBundleRoutes } from './bundle-routes.ts';
import { addEndpointMetadata, addEndpointRoutes, shapeEndpointErrors } from './endpoint-routes.ts';
import { type Env, type HttpParts, toFailure } from './http/context.ts';
import { allowOrigins } from './http/cors.ts';
import { admitToPage, checkOrigin, identify } from './http/identify.ts';
import { answerUnmatched } from './http/not-found.ts';
import { addChatRoutes } from './routes/chat-routes.ts';
import { addConversationRoutes } from './routes/conversation-routes.ts';
import { addHealthRoutes } from './routes/health-routes.ts';
import { addPageRoutes } from './routes/page-routes.ts';
import { addUploadRoutes } from './routes/upload-routes.ts';
import { addWebhookRoute } from './surfaces/webhook-route.ts';
import { addWorkbenchRoutes } from './workbench/workbench-routes.ts';

/** Adds all HTTP routes, in matching order. */
export function addRoutes(app: Hono<Env>, parts: HttpParts): void {
  app.onError((error, context) => toFailure(context, parts.intake, error));
  app.notFound(answerUnmatched(app));
  // Their answers may be read by pages of any origin.
  addEndpointMetadata(app, parts);
  const { auth } = parts.deps;
  const { origins = [] } = auth;
  if (origins.length > 0) app.use('*', allowOrigins(origins));
  shapeEndpointErrors(app);
  app.use('*', checkOrigin(parts));
  const known = identify(parts);
  addHealthRoutes(app, parts, known);
  addBundleRoutes(app, parts, known);
  for (const paths of [
    '/api/chat/:tenant/:project/*',
    '/conversations/:tenant/:project/*',
    '/api/users/:tenant/:project/*',
  ]) {
    app.use(paths, known);
  }
  // These are public: a user who is not signed in yet has to see the pages.
  for (const path of ['/', '/studio', '/studio/', '/assets/*']) {
    app.use(path, auth.mode === 'dev' ? known : admitToPage(parts));
  }
  for (const path of [
    '/api/session',
    '/api/me/*',
    '/api/uploads/*',
    '/api/files',
    '/by-rn',
    '/api/bundles/:tenant/:project/*',
    '/inspect/:tenant/:project/*',
  ]) {
    app.use(path, known);
  }
  addAccountRoutes(app, parts);
  addChatRoutes(app, parts);
  addUploadRoutes(app, parts);
  addConversationRoutes(app, parts);
  addWorkbenchRoutes(app, parts);
  addEndpointRoutes(app, parts, known);
  addPageRoutes(app, parts);
  addWebhookRoute(app, parts);
}
