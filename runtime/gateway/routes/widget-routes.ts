import type { Context, Hono, MiddlewareHandler } from 'hono';
import { Refusal } from '../../base/refusal.ts';
import { readStatic } from '../assets/static-files.ts';
import type { Env, HttpParts } from '../http/context.ts';
import type { ServedBundle, ServedWidget } from '../ports/bundle-directory.ts';
import { sendStatic } from './page-routes.ts';

const bundles = '/api/bundles/:tenant/:project';

const widgetPolicy =
  "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "connect-src 'self'; frame-ancestors 'self'";

/** Lists bundles and serves their widgets. A widget is visible only to users that its `access` allows. */
export function addWidgetRoutes(
  app: Hono<Env>,
  parts: HttpParts,
  known: MiddlewareHandler<Env>,
): void {
  const directory = parts.deps.bundles;
  app.get(bundles, known, (context) => {
    const standard = directory.default().bundle;
    const items = directory.bundles().map((bundle) => ({
      ...toItem(bundle, context.get('roles')),
      default: bundle.id === standard,
    }));
    return context.json({ ok: true, items });
  });
  app.get(`${bundles}/:bundle/widgets`, known, (context) => {
    const bundle = context.req.param('bundle');
    if (directory.agent(bundle) === undefined) {
      throw new Refusal('not_found', `bundle "${bundle}" not found`);
    }
    const items = listWidgets(directory.widgets(bundle), context.get('roles'));
    return context.json({ ok: true, items });
  });
  app.get(`${bundles}/:bundle/widgets/:widget/*`, admitTo(parts, known), (context) =>
    getWidget(context, findWidget(context, parts)),
  );
}

function toItem(bundle: ServedBundle, roles: readonly string[]) {
  const { id, title, version, agents, widgets, firstMessages, modelChoices } = bundle;
  return {
    ...{ id, title, version, agents },
    widgets: listWidgets(widgets, roles),
    ...offered('first_messages', firstMessages),
    ...offered('model_choices', modelChoices),
  };
}

/** What agents offer, without those that offer nothing. */
function offered(name: string, byAgent: Readonly<Record<string, readonly string[]>> = {}) {
  const some = Object.entries(byAgent).filter(([, each]) => each.length > 0);
  return some.length > 0 && { [name]: Object.fromEntries(some) };
}

function listWidgets(widgets: readonly ServedWidget[], roles: readonly string[]) {
  return widgets
    .filter(({ access }) => isAllowed(access, roles))
    .map(({ id, title, renders, main }) => ({ id, title, renders, main }));
}

function isAllowed(access: ServedWidget['access'], roles: readonly string[]): boolean {
  return typeof access === 'string' || access.roles.some((role) => roles.includes(role));
}

/** A public widget needs no token; any other needs a user, with one of its roles if it names some. */
function admitTo(parts: HttpParts, known: MiddlewareHandler<Env>): MiddlewareHandler<Env> {
  const { scope } = parts.deps;
  return async (context, next) => {
    const [tenant, project] = [context.req.param('tenant'), context.req.param('project')];
    const isHere = tenant === scope.tenant && project === scope.project;
    const found = isHere ? widgetOf(context, parts) : undefined;
    if (found?.access === 'public') {
      parts.anonymousLimit.admit(context);
      await next();
      return;
    }
    await known(context, async () => {
      const { access, id } = findWidget(context, parts);
      if (!isAllowed(access, context.get('roles'))) {
        const roles = typeof access === 'string' ? [] : access.roles;
        throw new Refusal(
          'forbidden',
          `widget "${id}" requires one of the roles ${roles.join(', ')}`,
        );
      }
      await next();
    });
  };
}

function widgetOf({ req }: Context, { deps }: HttpParts): ServedWidget | undefined {
  const [bundle, widget] = [req.param('bundle') ?? '', req.param('widget') ?? ''];
  return deps.bundles.widgets(bundle).find(({ id }) => id === widget);
}

/** Refusal `not_found`. */
function findWidget(context: Context, parts: HttpParts): ServedWidget {
  const { req } = context;
  const found = widgetOf(context, parts);
  if (found) return found;
  throw new Refusal(
    'not_found',
    `bundle "${req.param('bundle')}" has no widget "${req.param('widget')}"`,
  );
}

function getWidget({ req }: Context<Env>, { dir, id }: ServedWidget): Promise<Response> {
  const rest = decoded(req.path.split(`/widgets/${id}/`)[1] ?? '');
  return sendStatic(readStatic(dir, rest === '' ? 'index.html' : rest), widgetPolicy);
}

/** Refusal `not_found` for an invalid address. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Refusal('not_found', 'page not found');
  }
}
