import { isJsonObject, type Json } from '../../base/json.ts';
import { formatPath, parsePath } from '../paths.ts';
import type { CallView } from '../view.ts';

/** Tools whose results are found again by asking again. What brings sources is one too, whatever its name. */
const searches: ReadonlySet<string> = new Set(['react.memsearch', 'react.search_knowledge']);
const reads: ReadonlySet<string> = new Set(['react.read']);

export function isSearch({ tool }: CallView): boolean {
  return searches.has(tool);
}

/** The paths a call has shown to the model, as it named them; empty for a call that read nothing. */
export function pathsRead({ tool, request, result }: CallView): readonly string[] {
  const input = reads.has(tool) && isJsonObject(request.data) ? request.data['input'] : undefined;
  if (!isJsonObject(input) || !isJsonObject(result?.data) || result.data['ok'] !== true) return [];
  const items = listOf(input['items']).map((item) => (isJsonObject(item) ? item['path'] : item));
  const { ret } = result.data;
  const missing = new Set(isJsonObject(ret) ? listOf(ret['missing']) : []);
  return [...listOf(input['paths']), ...items].flatMap((path) => {
    const parsed = typeof path === 'string' && !missing.has(path) ? parsePath(path) : undefined;
    return parsed ? [formatPath(parsed)] : [];
  });
}

/** What a call has shown of skills and knowledge, which the model can have again word for word at any time. */
export function catalogueRead(call: CallView): readonly string[] {
  return pathsRead(call).filter((path) => /^(?:sk|ks):/.test(path));
}

/** A call that has shown nothing else. */
export function readsCatalogue(call: CallView): boolean {
  const read = catalogueRead(call).length;
  return read > 0 && read === pathsRead(call).length;
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
