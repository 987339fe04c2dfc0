import type { Context, Hono, MiddlewareHandler } from 'hono';
import { readJson } from '../../base/bounded-json.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import { livePropsSpace } from '../../sdk/compile/lifecycle/live-props.ts';
import { storageValueCharsMax } from '../../sdk/contract/limits.ts';
import type { LiveProps } from '../../sdk/contract/runtime-bundle.ts';
import { requireOperator } from '../auth/operators.ts';
import type { Env, HttpParts } from '../http/context.ts';

const path = '/api/bundles/:tenant/:project/:bundle/props';

/**
 * Props that an operator sets, which override `bundles.yaml`: in force at once in this process, and soon in all others.
 */
export function addPropsRoutes(
  app: Hono<Env>,
  parts: HttpParts,
  known: MiddlewareHandler<Env>,
): void {
  app.get(path, known, (context) => {
    const props = propsOf(context, parts);
    return context.json({ ok: true, props: props.live, schema: props.schema() });
  });
  app.put(path, known, async (context) => {
    const props = propsOf(context, parts);
    const live = toProps(await context.req.text(), storageValueCharsMax);
    const { deps, closing: signal } = parts;
    const { tenant, project, user } = context.get('sender');
    const bundle = context.req.param('bundle');
    props.check(live);
    await deps.storage.set(livePropsSpace({ tenant, project }), bundle, { value: live });
    await props.set(live, { signal });
    deps.log.info('props set', { bundle, user, keys: Object.keys(live).join(' ') });
    return context.json({ ok: true, props: props.live });
  });
}

/** Refusals `forbidden`, `not_found`. */
function propsOf(context: Context<Env>, { deps }: HttpParts): LiveProps {
  requireOperator(deps.auth, context.get('roles'));
  const bundle = context.req.param('bundle') ?? '';
  const props = deps.bundles.props(bundle);
  if (props) return props;
  throw new Refusal('not_found', `bundle "${bundle}" not found, or it has no props`);
}

/** Refusals `invalid_input`, `too_large`. */
export function toProps(text: string, charsMax: number): JsonObject {
  if (text.length > charsMax) {
    throw new Refusal('too_large', `props are limited to ${charsMax} characters`);
  }
  const read = readJson(text);
  if (read.ok && isJsonObject(read.value)) return read.value;
  throw new Refusal(
    'invalid_input',
    'the request body must be one JSON object with a value for each prop',
  );
}
