import { isJsonObject, type Json } from '../../base/json.ts';
import { formatPath, parsePath } from '../paths.ts';
import type { CallView } from '../view.ts';

/** Tools whose results can be obtained again by the same call. Calls that add sources count as searches too. */
const searches: ReadonlySet<string> = new Set(['react.memsearch', 'react.search_knowledge']);
const reads: ReadonlySet<string> = new Set(['react.read']);

export function isSearch({ tool }: CallView): boolean {
  return searches.has(tool);
}

/** The paths whose content a call showed to the model, as the call named them; empty for a call that read nothing. */
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

/** The skills and knowledge pages that a call showed, which the model can read again at any time. */
export function catalogueRead(call: CallView): readonly string[] {
  return pathsRead(call).filter((path) => /^(?:sk|ks):/.test(path));
}

/** Whether a call showed only skills and knowledge. */
export function readsCatalogue(call: CallView): boolean {
  const read = catalogueRead(call).length;
  return read > 0 && read === pathsRead(call).length;
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
