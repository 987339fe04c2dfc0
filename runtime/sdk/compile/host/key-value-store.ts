import { Fault } from '../../../base/fault.ts';
import type { Json } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { Sender } from '../../../timeline/ports/store.ts';
import {
  storageKeyCharsMax,
  storageKeysMax,
  storageTtlMsMax,
  storageValueCharsMax,
} from '../../contract/limits.ts';
import type { Ids, KeyValue } from '../../define/context.ts';
import { isSpaceOf, type SpaceKind, storageSpace } from './spaces.ts';

/**
 * Stores small values by space and key. `space` identifies their owner (see `storageSpace`). The last write wins. A value is
 * durable when `set` resolves.
 */
export interface KeyValueStore {
  get(space: string, key: string): Promise<Json | undefined>;
  /** Refusal `too_many`: the key is new and the space already has `storageKeysMax` keys. */
  set(space: string, key: string, entry: { value: Json; ttlMs?: number }): Promise<void>;
  delete(space: string, key: string): Promise<void>;
  /** Keys in order of their code points. Not a snapshot: concurrent writes may show. */
  keys(space: string, prefix: string): AsyncIterable<string>;
}

/** For spaces with few entries. */
export type EntryStore = KeyValueStore & {
  /** Everything in a space, with every write that was durable before the call. */
  entries(space: string): Promise<ReadonlyMap<string, Json>>;
  /**
   * Removes some of what a user has in all bundles (storage, secrets, props), their uploads and MCP sessions. True: more
   * remains. Facts, and what the user has spent, are not included.
   */
  removeUser(user: Sender): Promise<boolean>;
};

export function tooManyKeys(): Refusal {
  const most = `A bundle can store at most ${storageKeysMax} keys in one space`;
  return new Refusal('too_many', `${most}: delete some, or set ttlMs.`);
}

/** Values live as long as the process. */
export function createMemoryStorage(now: () => number): EntryStore {
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
      const entries = fresh(space);
      if (!entries.has(key) && entries.size >= storageKeysMax) throw tooManyKeys();
      entries.set(key, { text: JSON.stringify(value), until });
    },
    async delete(space, key) {
      fresh(space).delete(key);
    },
    async entries(space) {
      return new Map([...fresh(space)].map(([key, { text }]) => [key, JSON.parse(text)]));
    },
    async removeUser(user) {
      for (const space of spaces.keys()) if (isSpaceOf(user, space)) spaces.delete(space);
      return false;
    },
    async *keys(space, prefix) {
      const found = [...fresh(space).keys()].filter((key) => key.startsWith(prefix));
      yield* found.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    },
  };
}

/** The storage of a bundle, or of one of its users or conversations. */
export function keyValueOf(store: KeyValueStore, ids: Ids, kind: SpaceKind): KeyValue {
  return createKeyValue(store, storageSpace(ids, kind));
}

/** One storage space, as a bundle sees it. */
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
        const most = `the limit is ${storageValueCharsMax} characters of JSON per key`;
        throw new Refusal('too_large', `The value of “${key}” has ${chars} characters; ${most}.`);
      }
      const { ttlMs } = options;
      if (ttlMs !== undefined && !(ttlMs > 0 && ttlMs <= storageTtlMsMax)) {
        throw new Refusal(
          'invalid_ttl',
          `ttlMs must be more than 0 and at most ${storageTtlMsMax}.`,
        );
      }
      await store.set(space, checkedKey(key), { value, ...(ttlMs === undefined ? {} : { ttlMs }) });
    },
    delete: (key) => store.delete(space, checkedKey(key)),
    keys: (prefix = '') => store.keys(space, prefix === '' ? '' : checkedKey(prefix)),
  };
}

function checkedKey(key: string): string {
  const isText = key.isWellFormed() && !key.includes('\0');
  if (isText && key !== '' && key.length <= storageKeyCharsMax) return key;
  const most = `A key must have 1 to ${storageKeyCharsMax} characters`;
  throw new Refusal('invalid_key', `${most}, without NUL and unpaired surrogates.`);
}
