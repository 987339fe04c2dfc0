import type { Context, Hono } from 'hono';
import { Refusal } from '../../base/refusal.ts';
import { limitBody } from '../http/body-limit.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { jsonOf } from '../input/parse-input.ts';

/** Webhooks of messengers. The messenger proves who it is by a secret of its own. */
export function addWebhookRoute(app: Hono<Env>, parts: HttpParts): void {
  app.post('/api/surfaces/:surface/webhook', limitBody(), (context) => postUpdate(context, parts));
}

async function postUpdate(
  context: Context<Env>,
  { surfaces, anonymous }: HttpParts,
): Promise<Response> {
  const name = context.req.param('surface');
  const open = surfaces.find(({ surface }) => surface.name === name);
  const webhook = open?.surface.webhook;
  if (!open || !webhook) throw new Refusal('not_found', `surface ${name} has no webhook`);
  const request = {
    header: (field: string) => context.req.header(field),
    body: () => {
      anonymous.delete(context.env.incoming.socket);
      return jsonOf(context);
    },
  };
  await webhook(request, open.take, { signal: open.signal });
  return context.json({ ok: true });
}
