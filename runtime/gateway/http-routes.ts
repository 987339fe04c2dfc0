import type { Hono, MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { addChat } from './http-chat.ts';
import { type Env, type HttpParts, limitBody, toFailure } from './http-context.ts';
import { addFacts } from './http-facts.ts';
import { nowhere } from './http-nowhere.ts';
import { addOpenApi } from './http-openapi.ts';
import { addOperations } from './http-operations.ts';
import { addPages } from './http-pages.ts';
import { addProps } from './http-props.ts';
import { addReading } from './http-read.ts';
import { addSession } from './http-session.ts';
import { addUploads } from './http-uploads.ts';
import { admitToPage, identify } from './identify.ts';
import { preflightSecondsMax } from './limits.ts';

/** Everything that is answered over HTTP, in the order in which it is asked. */
export function route(app: Hono<Env>, parts: HttpParts): void {
  app.onError((error, context) => toFailure(context, parts.desk, error));
  app.notFound(nowhere(app));
  const { auth } = parts.deps;
  if (auth.mode === 'jwt' && auth.origins.length > 0) app.use('*', shareWith(auth.origins));
  app.use('*', limitBody());
  addFacts(app, parts);
  const known = identify(parts);
  addOperations(app, parts, known);
  addOpenApi(app, parts, known);
  addProps(app, parts, known);
  for (const paths of ['/api/chat/:tenant/:project/*', '/conversations/:tenant/:project/*']) {
    app.use(paths, known);
  }
  // What says nothing of anybody: whoever cannot sign in before the page is there has to see the page.
  for (const path of ['/', '/assets/*']) {
    app.use(path, auth.mode === 'dev' ? known : admitToPage(parts));
  }
  for (const path of [
    '/api/session',
    '/api/uploads/*',
    '/api/files',
    '/by-rn',
    '/api/bundles/:tenant/:project/*',
  ]) {
    app.use(path, known);
  }
  addSession(app, parts);
  addChat(app, parts);
  addUploads(app, parts);
  addReading(app, parts);
  addPages(app, parts);
}

/** Pages of these origins may ask with a token and read the answers; no cookie goes with what they ask. */
function shareWith(origins: readonly string[]): MiddlewareHandler<Env> {
  return cors({
    origin: [...origins],
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposeHeaders: [
      ...['Allow', 'Content-Disposition', 'Location', 'Retry-After', 'WWW-Authenticate'],
      ...['Tus-Resumable', 'Upload-Offset', 'Upload-Length', 'Upload-Expires'],
    ],
    maxAge: preflightSecondsMax,
  });
}
