import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { citationSidsMax, sidecarEntriesMax } from '../protocol/limits.ts';
import { citationsIn } from './citations.ts';

/** Which sources stand behind one string of a JSON value; `path` is its JSON pointer. */
type SidecarEntry = { readonly path: string; readonly sids: readonly number[] };
type Sidecar = {
  /** The value without what it carried of its own. */
  readonly value: Json;
  readonly citations: readonly SidecarEntry[];
};

const own = '_citations';

/**
 * The citations of a JSON value beside it, where a schema leaves no room for them: a list `_citations` that it carries
 * counts, else the tokens in its strings do. Strings stay as they were written.
 */
export function toSidecar(output: Json): Sidecar {
  if (!isJsonObject(output) || !Array.isArray(output[own])) {
    return { value: output, citations: fromTokens(output) };
  }
  const { [own]: carried, ...value } = output;
  const entries: readonly Json[] = Array.isArray(carried) ? carried : [];
  const citations = entries.slice(0, sidecarEntriesMax).flatMap((each) => toEntry(each, value));
  return { value, citations };
}

/** Undefined entries, and those whose pointer leads to no string, are left out. */
function toEntry(entry: Json, value: JsonObject): readonly SidecarEntry[] {
  if (!isJsonObject(entry)) return [];
  const { path, sids } = entry;
  if (typeof path !== 'string' || !Array.isArray(sids)) return [];
  if (typeof valueAt(value, path) !== 'string') return [];
  const whole = sids.filter((sid) => typeof sid === 'number' && Number.isInteger(sid) && sid > 0);
  const numbers = [...new Set(whole.map(Number))].slice(0, citationSidsMax);
  return numbers.length === 0 ? [] : [{ path, sids: numbers }];
}

function valueAt(value: Json, pointer: string): Json | undefined {
  if (!pointer.startsWith('/')) return undefined;
  let at: Json | undefined = value;
  for (const step of pointer.slice(1).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    at = childOf(at, key);
  }
  return at;
}

function childOf(value: Json | undefined, key: string): Json | undefined {
  if (isJsonObject(value)) return Object.hasOwn(value, key) ? value[key] : undefined;
  const list: readonly Json[] = Array.isArray(value) ? value : [];
  return /^(0|[1-9]\d*)$/.test(key) ? list[Number(key)] : undefined;
}

function fromTokens(output: Json): readonly SidecarEntry[] {
  const found: SidecarEntry[] = [];
  for (const [path, text] of stringsOf(output, '')) {
    const sids = citationsIn(text);
    if (sids.length > 0) found.push({ path, sids });
    if (found.length >= sidecarEntriesMax) break;
  }
  return found;
}

function* stringsOf(value: Json, path: string): Generator<readonly [string, string]> {
  if (typeof value === 'string') yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value))
    yield* stringsOf(each, `${path}/${escaped(key)}`);
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
