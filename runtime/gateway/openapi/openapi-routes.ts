import type { Context, Hono, MiddlewareHandler } from 'hono';
import { Refusal } from '../../base/refusal.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { toBundleDocument } from './bundle-document.ts';
import { describeRoutes } from './describe-routes.ts';
import { toServerDocument } from './server-document.ts';

/** Serves the OpenAPI documents: of the gateway, and of each bundle for authenticated users. */
export function addOpenApiRoutes(
  app: Hono<Env>,
  { deps }: HttpParts,
  known: MiddlewareHandler<Env>,
): void {
  let whole: string | undefined;
  app.get('/openapi.json', (context) => {
    const { auth } = deps;
    whole ??= JSON.stringify(toServerDocument({ auth, routes: describeRoutes(app, known).routes }));
    return context.body(whole, 200, { 'Content-Type': 'application/json' });
  });
  app.get('/api/bundles/:tenant/:project/:bundle/openapi.json', known, (context) =>
    getBundle(context, deps),
  );
}

function getBundle(context: Context<Env>, { auth, bundles }: HttpParts['deps']): Response {
  const bundle = context.req.param('bundle') ?? '';
  if (bundles.agent(bundle) === undefined) {
    throw new Refusal('not_found', `bundle "${bundle}" not found`);
  }
  const { tenant, project } = context.get('sender');
  const operations = bundles.operations(bundle);
  return context.json(toBundleDocument({ auth, tenant, project, bundle, operations }));
}
