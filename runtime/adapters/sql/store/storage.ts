import { z } from 'zod';
import { type Json, parseJson } from '../../../base/json.ts';
import { type EntryStore, tooManyKeys } from '../../../sdk/compile/host/key-value-store.ts';
import { bundleUserKinds, userSpaces } from '../../../sdk/compile/host/spaces.ts';
import { storageKeysMax } from '../../../sdk/contract/limits.ts';
import type { Database, Param } from '../database/database.ts';
import { keysPageMax, overValuesRemovedMax, valuesRemovedMax } from '../database/limits.ts';
import { withRetry } from '../database/retry.ts';
import { parseRow, toFlag } from '../rows/rows.ts';

const live = `place = storage_place($1) and (until is null or until > clock_timestamp())`;
/** In the words of the index `stored_value_user`, which the planner recognises. */
const kinds = bundleUserKinds.map((kind) => `'${kind}'`).join(', ');
const statements = {
  get: `select value from stored_value where ${live} and key = $2`,
  set: `select storage_set($1, $2, $3, $4, $5, $6) as yes`,
  entries: `select key, value from stored_value where ${live} order by key`,
  delete: `delete from stored_value where place = storage_place($1) and key = $2`,
  keys: `select key from stored_value where ${live} and starts_with(key, $2) and key >= $2 and key > $3
    order by key limit $4`,
  removeUser: `with chosen as materialized (
      (select place, key from stored_value where split_part(space, '/', 1) in (${kinds})
          and split_part(space, '/', 2) = $1 and split_part(space, '/', 3) = $2 and split_part(space, '/', 5) = $3 limit $5)
      union all
      (select place, key from stored_value where place in (select storage_place(x) from unnest($4::text[]) x) limit $5)),
    gone as (delete from stored_value v using chosen c where v.place = c.place and v.key = c.key)
    select count(*) >= $5 as yes from chosen`,
} as const;

const Value = z.custom<Json>((value) => value !== undefined);
const ValueRow = z.object({ value: z.string().transform(parseJson).pipe(Value) });
const EntryRow = ValueRow.extend({ key: z.string() });
const KeyRow = z.object({ key: z.string() });

/** Stored values of bundles in a migrated database, shared by all processes that open it. */
export function createSqlStorage(database: Database): EntryStore {
  const ask = (sql: string, params: readonly Param[]) =>
    withRetry(() => database.query(sql, params));
  return {
    async get(space, key) {
      const [row] = await ask(statements.get, [space, key]);
      return row === undefined ? undefined : parseRow(ValueRow, row).value;
    },
    async set(space, key, { value, ttlMs = null }) {
      const most = [storageKeysMax, overValuesRemovedMax];
      const params = [space, key, JSON.stringify(value), ttlMs, ...most];
      const [row] = await ask(statements.set, params);
      if (!toFlag(row)) throw tooManyKeys();
    },
    async delete(space, key) {
      await ask(statements.delete, [space, key]);
    },
    async entries(space) {
      const rows = await ask(statements.entries, [space]);
      return new Map(
        rows.map((row) => {
          const { key, value } = parseRow(EntryRow, row);
          return [key, value] as const;
        }),
      );
    },
    async removeUser(user) {
      const parts = [user.tenant, user.project, user.user].map(encodeURIComponent);
      const params = [...parts, userSpaces(user), valuesRemovedMax];
      return toFlag((await ask(statements.removeUser, params))[0]);
    },
    async *keys(space, prefix) {
      let last = '';
      for (;;) {
        const rows = await ask(statements.keys, [space, prefix, last, keysPageMax]);
        const keys = rows.map((row) => parseRow(KeyRow, row).key);
        yield* keys;
        if (keys.length < keysPageMax) return;
        last = keys.at(-1) ?? last;
      }
    },
  };
}
