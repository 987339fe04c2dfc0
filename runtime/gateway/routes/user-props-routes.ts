import type { Context, Hono } from 'hono';
import { Refusal } from '../../base/refusal.ts';
import {
  storedUserProps,
  userPropsKey,
  userPropsSpace,
} from '../../sdk/compile/context/user-props.ts';
import { userPropsCharsMax } from '../../sdk/contract/limits.ts';
import type { UserProps } from '../../sdk/contract/runtime-bundle.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { toProps } from './props-routes.ts';

const path = '/api/me/props/:bundle';

/** Props that users set for themselves. Users can only read and set their own. */
export function addUserPropsRoutes(app: Hono<Env>, parts: HttpParts): void {
  const { storage, log } = parts.deps;
  app.get(path, async (context) => {
    const { declared, place } = placeOf(context, parts);
    const props = declared.fitting(await storedUserProps(storage, place));
    return context.json({ ok: true, props, shared: declared.shared, schema: declared.schema() });
  });
  app.put(path, async (context) => {
    const { declared, place } = placeOf(context, parts);
    const props = toProps(await context.req.text(), userPropsCharsMax);
    declared.check(props);
    await storage.set(userPropsSpace(place), userPropsKey, { value: props });
    const { bundle, user } = place;
    log.info('user props set', { bundle, user, keys: Object.keys(props).join(' ') });
    return context.json({ ok: true, props });
  });
  app.delete(path, async (context) => {
    const { place } = placeOf(context, parts);
    await storage.delete(userPropsSpace(place), userPropsKey);
    log.info('user props deleted', { bundle: place.bundle, user: place.user });
    return context.json({ ok: true });
  });
}

type Place = Parameters<typeof userPropsSpace>[0];

/** Refusal `not_found`. */
function placeOf(
  context: Context<Env>,
  { deps }: HttpParts,
): { readonly declared: UserProps; readonly place: Place } {
  const bundle = context.req.param('bundle') ?? '';
  const declared = deps.bundles.userProps(bundle);
  if (!declared) throw new Refusal('not_found', `bundle "${bundle}" not found`);
  const { tenant, project, user } = context.get('sender');
  return { declared, place: { tenant, project, user, bundle } };
}
