import type { Json } from '../../base/json.ts';
import { isRefusal } from '../../base/refusal.ts';
import type { ClientContext } from './client-context.ts';
import { fetchJson } from './http.ts';

type OperationCall = { readonly bundle: string; readonly id: string; readonly input: Json };
type Answer = { readonly ok: true; readonly ret: Json };

/** Returns the result of an operation. A GET operation refuses POST before it does anything and is then called with GET. */
export async function callOperation(
  { http, scope }: Pick<ClientContext, 'http' | 'scope'>,
  { bundle, id, input }: OperationCall,
): Promise<Json> {
  const path = `/api/bundles/${scope}/${encodeURIComponent(bundle)}/operations/${encodeURIComponent(id)}`;
  try {
    const body = JSON.stringify(input);
    return (await fetchJson<Answer>(http, path, { method: 'POST', body })).ret;
  } catch (error) {
    if (!isRefusal(error) || error.code !== 'wrong_method') throw error;
  }
  return (await fetchJson<Answer>(http, `${path}?${toQuery(input)}`)).ret;
}

/** Texts stay as they are, other values become JSON, null is left out, and a list repeats its key for each item. */
function toQuery(input: Json): URLSearchParams {
  const entries = Object.entries<Json>(Object(input)).flatMap(([key, value]) =>
    [value]
      .flat()
      .flatMap((one): [string, string][] =>
        one === null ? [] : [[key, typeof one === 'string' ? one : JSON.stringify(one)]],
      ),
  );
  return new URLSearchParams(entries);
}
