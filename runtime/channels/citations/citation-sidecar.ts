import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { citationSidsMax, sidecarEntriesMax } from '../protocol/limits.ts';
import { citationsIn } from './citations.ts';

/** The sources of one string in a JSON value; `path` is its JSON pointer. */
type SidecarEntry = { readonly path: string; readonly sids: readonly number[] };
type Sidecar = {
  /** The value without its `_citations`. */
  readonly value: Json;
  readonly citations: readonly SidecarEntry[];
};

const own = '_citations';

/**
 * Returns the citations of a JSON value beside the value, because its schema has no place for them. Uses the list
 * `_citations` of the value if it has one, else the tokens in its strings. The strings are not changed.
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

/** Skips invalid entries and entries whose pointer does not lead to a string. */
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
