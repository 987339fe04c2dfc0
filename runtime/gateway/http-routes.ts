import type { Hono } from 'hono';
import { addChat } from './http-chat.ts';
import { type Env, type HttpParts, identify, limitBody, toFailure } from './http-context.ts';
import { addFacts } from './http-facts.ts';
import { nowhere } from './http-nowhere.ts';
import { addOpenApi } from './http-openapi.ts';
import { addOperations } from './http-operations.ts';
import { addPages } from './http-pages.ts';
import { addReading } from './http-read.ts';

/** Everything that is answered over HTTP, in the order in which it is asked. */
export function route(app: Hono<Env>, parts: HttpParts): void {
  app.onError((error, context) => toFailure(context, parts.desk, error));
  app.notFound(nowhere(app));
  app.use('*', limitBody());
  addFacts(app, parts);
  const known = identify(parts);
  addOperations(app, parts, known);
  addOpenApi(app, parts, known);
  for (const paths of ['/api/chat/:tenant/:project/*', '/conversations/:tenant/:project/*']) {
    app.use(paths, known);
  }
  for (const path of [
    '/',
    '/assets/*',
    '/api/uploads',
    '/api/files',
    '/by-rn',
    '/api/bundles/:tenant/:project/*',
  ]) {
    app.use(path, known);
  }
  addChat(app, parts);
  addReading(app, parts);
  addPages(app, parts);
}
