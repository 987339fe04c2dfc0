import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { userSecretCharsMax } from '../../sdk/contract/limits.ts';
import type { UserSecretKey, UserSecrets } from '../../sdk/contract/user-secrets.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { jsonOf, parseInput } from '../input/parse-input.ts';

export const secretValue = z.object({
  value: z
    .string()
    .min(1)
    .max(userSecretCharsMax, `at most ${userSecretCharsMax.toLocaleString('en')} characters`)
    .refine((text) => text.isWellFormed(), 'the value is not valid Unicode'),
});

/** Secrets that users set for themselves. Values are never returned, and users can only set their own. */
export function addSecretRoutes(app: Hono<Env>, parts: HttpParts): void {
  const { deps } = parts;
  app.get('/api/me/secrets/:bundle', async (context) => {
    const bundle = context.req.param('bundle');
    const secrets = deps.bundles.userSecrets(bundle);
    if (!secrets) throw new Refusal('not_found', `bundle "${bundle}" not found`);
    const items = secrets.map(async ({ id, description }) => {
      const { place, store } = placeOf(context, parts, id);
      return { id, description, set: (await store.get(place)) !== undefined };
    });
    return context.json({ ok: true, items: await Promise.all(items) });
  });
  app.put('/api/me/secrets/:bundle/:id', async (context) => {
    const { place, store } = placeOf(context, parts);
    const { value } = parseInput(secretValue, await jsonOf(context));
    await store.set(place, value);
    deps.log.info('user secret set', { bundle: place.bundle, id: place.id, user: place.user });
    return context.json({ ok: true });
  });
  app.delete('/api/me/secrets/:bundle/:id', async (context) => {
    const { place, store } = placeOf(context, parts);
    await store.delete(place);
    deps.log.info('user secret deleted', { bundle: place.bundle, id: place.id, user: place.user });
    return context.json({ ok: true });
  });
}

/** Refusal `not_found`. */
function placeOf(
  context: Context<Env>,
  { deps }: HttpParts,
  id = context.req.param('id') ?? '',
): { readonly place: UserSecretKey; readonly store: UserSecrets } {
  const bundle = context.req.param('bundle') ?? '';
  const isDeclared = deps.bundles.userSecrets(bundle)?.some((secret) => secret.id === id);
  if (!isDeclared) {
    throw new Refusal('not_found', `bundle "${bundle}" has no user secret "${id}"`);
  }
  const { tenant, project, user } = context.get('sender');
  return { place: { tenant, project, user, bundle, id }, store: deps.userSecrets };
}
