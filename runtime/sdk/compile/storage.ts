import { Fault } from '../../base/fault.ts';
import type { Json } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import type { KeyValue } from '../context.ts';
import { storageKeyCharsMax, storageValueCharsMax } from '../limits.ts';

/** Small values by space and key. `space` names who they belong to. */
export interface KeyValueStore {
  get(space: string, key: string): Promise<Json | undefined>;
  set(space: string, key: string, entry: { value: Json; ttlMs?: number }): Promise<void>;
  delete(space: string, key: string): Promise<void>;
  /** In order of key. */
  keys(space: string, prefix: string): AsyncIterable<string>;
}

/** Lives as long as the process. */
export function createMemoryStorage(now: () => number): KeyValueStore {
  const spaces = new Map<string, Map<string, { text: string; until: number }>>();
  const fresh = (space: string): Map<string, { text: string; until: number }> => {
    const entries = spaces.get(space) ?? new Map();
    for (const [key, { until }] of entries) if (until <= now()) entries.delete(key);
    spaces.set(space, entries);
    return entries;
  };
  return {
    async get(space, key) {
      const entry = fresh(space).get(key);
      return entry && JSON.parse(entry.text);
    },
    async set(space, key, { value, ttlMs }) {
      const until = ttlMs === undefined ? Number.POSITIVE_INFINITY : now() + ttlMs;
      fresh(space).set(key, { text: JSON.stringify(value), until });
    },
    async delete(space, key) {
      fresh(space).delete(key);
    },
    async *keys(space, prefix) {
      yield* [...fresh(space).keys()].filter((key) => key.startsWith(prefix)).toSorted();
    },
  };
}

/** One space of a store, as a bundle sees it. */
export function createKeyValue(store: KeyValueStore, space: string): KeyValue {
  return {
    async get(key, schema) {
      const value = await store.get(space, checkedKey(key));
      if (value === undefined) return undefined;
      const parsed = await schema.safeParseAsync(value);
      if (parsed.success) return parsed.data;
      throw new Fault('STORED_INVALID', { space, key, because: key }, { cause: parsed.error });
    },
    async set(key, value, options = {}) {
      const chars = JSON.stringify(value).length;
      if (chars > storageValueCharsMax) {
        const most = `at most ${storageValueCharsMax} characters of JSON are kept under one key`;
        throw new Refusal('too_large', `“${key}” holds ${chars}; ${most}.`);
      }
      await store.set(space, checkedKey(key), { value, ...options });
    },
    delete: (key) => store.delete(space, checkedKey(key)),
    keys: (prefix = '') => store.keys(space, prefix),
  };
}

function checkedKey(key: string): string {
  if (key !== '' && key.length <= storageKeyCharsMax) return key;
  throw new Refusal('invalid_key', `A key has 1 to ${storageKeyCharsMax} characters.`);
}
