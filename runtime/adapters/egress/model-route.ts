import type { ModelRoute } from '../../engine/ports/agent-sandbox.ts';

const route = /^\/model\/([a-z0-9-]+)(\/[^\s]*)?$/;

/** Where a request of the program for its model goes. Undefined: it is not one. */
export function toModel(
  path: string,
  models: Readonly<Record<string, ModelRoute>>,
): { readonly target: URL; readonly headers: ModelRoute['headers'] } | undefined {
  const [, name = '', rest = '/'] = route.exec(path) ?? [];
  const model = Object.hasOwn(models, name) ? models[name] : undefined;
  if (!model) return undefined;
  const base = model.url.replace(/\/+$/, '');
  const target = new URL(`${base}${rest}`);
  // A path must not leave the address of the model.
  if (!target.href.startsWith(base)) return undefined;
  return { target, headers: model.headers };
}
