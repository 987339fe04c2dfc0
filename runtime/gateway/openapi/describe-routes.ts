import type { Hono, MiddlewareHandler } from 'hono';
import type { RouterRoute } from 'hono/types';
import type { Env } from '../http/context.ts';
import { chatDescriptions } from './describe-chat.ts';
import { conversationDescriptions } from './describe-conversations.ts';
import { feedbackDescriptions } from './describe-feedback.ts';
import { agUiDescriptions, aiSdkDescriptions } from './describe-front-ends.ts';
import { a2aDescriptions, mcpDescriptions } from './describe-json-rpc.ts';
import { langGraphDescriptions } from './describe-langgraph.ts';
import { openAiDescriptions } from './describe-openai.ts';
import { serviceDescriptions } from './describe-service.ts';
import { uploadDescriptions } from './describe-uploads.ts';
import { workbenchDescriptions } from './describe-workbench.ts';
import type { RouteDescription, RouteDescriptions } from './route-description.ts';

const table: RouteDescriptions = {
  ...chatDescriptions,
  ...uploadDescriptions,
  ...conversationDescriptions,
  ...feedbackDescriptions,
  ...openAiDescriptions,
  ...serviceDescriptions,
  ...aiSdkDescriptions,
  ...mcpDescriptions,
  ...agUiDescriptions,
  ...langGraphDescriptions,
  ...a2aDescriptions,
  ...workbenchDescriptions,
};

/** One route of the gateway with its description. */
export type DescribedRoute = {
  readonly method: string;
  /** As the router spells it: `/a/:b`. */
  readonly path: string;
  readonly description: RouteDescription;
  /** The route requires authentication. */
  readonly identified: boolean;
};

/**
 * Joins the routes of the router with their descriptions. `missing` names routes on one side only; a test requires it
 * to be empty.
 */
export function describeRoutes(
  app: Hono<Env>,
  known: MiddlewareHandler<Env>,
): { readonly routes: readonly DescribedRoute[]; readonly missing: readonly string[] } {
  const keys = new Set(Object.keys(table));
  const routes: DescribedRoute[] = [];
  const missing: string[] = [];
  for (const route of app.routes) {
    // Handlers that take `next` are middleware.
    if (route.handler.length > 1) continue;
    const key = `${route.method} ${route.path}`;
    const facts = table[key];
    keys.delete(key);
    if (!facts) missing.push(key);
    for (const method of facts?.methods ?? [route.method]) {
      const identified = handlersBefore(app, { ...route, method }).includes(known);
      if (facts) routes.push({ method, path: route.path, description: facts, identified });
    }
  }
  return { routes, missing: [...missing, ...keys] };
}

/** The handlers that the router runs before this one, in order. */
function handlersBefore(
  app: Hono<Env>,
  { method, path, handler }: RouterRoute,
): readonly unknown[] {
  const met = app.router.match(method, path)[0].map(([[, route]]) => route.handler);
  const at = met.indexOf(handler);
  return at < 0 ? met : met.slice(0, at);
}
