import type { Hono } from 'hono';
import { addBundles } from './http-bundles.ts';
import { addChat } from './http-chat.ts';
import { type Env, type HttpParts, toFailure } from './http-context.ts';
import { shareWith } from './http-cors.ts';
import { addFacts } from './http-facts.ts';
import { nowhere } from './http-nowhere.ts';
import { addPages } from './http-pages.ts';
import { addReading } from './http-read.ts';
import { addSecrets } from './http-secrets.ts';
import { addSession } from './http-session.ts';
import { addUploads } from './http-uploads.ts';
import { admitToPage, guard, identify } from './identify.ts';

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
