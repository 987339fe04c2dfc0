import type { Hono } from 'hono';
import { addBundles } from './bundle-routes.ts';
import { type Env, type HttpParts, toFailure } from './http/context.ts';
import { shareWith } from './http/cors.ts';
import { admitToPage, guard, identify } from './http/identify.ts';
import { nowhere } from './http/not-found.ts';
import { addChat } from './routes/chat-routes.ts';
import { addReading } from './routes/conversation-routes.ts';
import { addFacts } from './routes/health-routes.ts';
import { addPages } from './routes/page-routes.ts';
import { addSecrets } from './routes/secret-routes.ts';
import { addSession } from './routes/session-routes.ts';
import { addUploads } from './routes/upload-routes.ts';

/** Everything that is answered over HTTP, in the order in which it is asked. */
export function route(app: Hono<Env>, parts: HttpParts): void {
  app.onError((error, context) => toFailure(context, parts.desk, error));
  app.notFound(nowhere(app));
  const { auth } = parts.deps;
  const { origins = [] } = auth;
  if (origins.length > 0) app.use('*', shareWith(origins));
  app.use('*', guard(parts));
  addFacts(app, parts);
  const known = identify(parts);
  addBundles(app, parts, known);
  for (const paths of ['/api/chat/:tenant/:project/*', '/conversations/:tenant/:project/*']) {
    app.use(paths, known);
  }
  // What says nothing of anybody: whoever cannot sign in before the page is there has to see the page.
  for (const path of ['/', '/assets/*']) {
    app.use(path, auth.mode === 'dev' ? known : admitToPage(parts));
  }
  for (const path of [
    '/api/session',
    '/api/me/*',
    '/api/uploads/*',
    '/api/files',
    '/by-rn',
    '/api/bundles/:tenant/:project/*',
  ]) {
    app.use(path, known);
  }
  addSession(app, parts);
  addSecrets(app, parts);
  addChat(app, parts);
  addUploads(app, parts);
  addReading(app, parts);
  addPages(app, parts);
}
