import { z } from 'zod';
import { conversationKeySchema } from '../../../timeline/ids.ts';
import type { Erasure, Erasures, LooseBlob } from '../../../timeline/ports/erasures.ts';
import type { Database, Param } from '../database/database.ts';
import { blocksRemovedMax, snippetsRemovedMax } from '../database/limits.ts';
import { withRetry } from '../database/retry.ts';
import { parseRow, toFlag } from '../rows/rows.ts';
import { createSqlUserErasures } from './user-erasures.ts';

const ms = (param: string) => `${param}::float8 * interval '1 millisecond'`;
const statements = {
  claim: `with due as materialized (
      select conv from erasure where due_at <= clock_timestamp() order by due_at limit $1 for update skip locked)
    update erasure e set due_at = clock_timestamp() + ${ms('$2')}
      from due join conversation c on c.id = due.conv where e.conv = due.conv
    returning e.conv as key, e.asked, c.tenant, c.project, c.owner as "user", c.cid as conversation`,
  place: `select tenant, project, cid, owner from conversation where id = $1 and erased_at is not null`,
  values: `delete from stored_value where starts_with(space, 'conversation/')
    and split_part(space, '/', 2) = $1 and split_part(space, '/', 3) = $2 and split_part(space, '/', 5) = $3
    and split_part(space, '/', 6) = $4`,
  remove: `select erasure_remove($1, $2, $3) as yes`,
  settle: `with done as (
      select e.conv, c.erased_at + ${ms('$3')} as at from erasure e join conversation c on c.id = e.conv
       where e.conv = $1 and e.asked = $2 for update of e),
    later as (update erasure e set due_at = done.at from done where e.conv = done.conv and done.at > clock_timestamp())
    delete from erasure e using done where e.conv = done.conv and done.at <= clock_timestamp()`,
  claimBlobs: `with due as materialized (
      select tenant, hash from blob_removal where due_at <= clock_timestamp() order by due_at limit $1
       for update skip locked),
    named as (
      select d.tenant, d.hash from due d where exists (
        select from blob_use u join conversation c on c.id = u.conv where u.hash = d.hash and c.tenant = d.tenant)),
    kept as (delete from blob_removal r using named n where r.tenant = n.tenant and r.hash = n.hash)
    update blob_removal r set due_at = clock_timestamp() + ${ms('$2')} from due d
     where r.tenant = d.tenant and r.hash = d.hash and (r.tenant, r.hash) not in (select tenant, hash from named)
    returning r.tenant, r.hash`,
  blobLater: `update blob_removal set due_at = clock_timestamp() + ${ms('$3')} where tenant = $1 and hash = $2`,
  unnamedBlobs: `select x.hash from unnest($2::text[]) as x (hash) where not exists (
      select from blob_use u join conversation c on c.id = u.conv where u.hash = x.hash and c.tenant = $1)`,
  blobGone: `delete from blob_removal where tenant = $1 and hash = $2`,
} as const;

const ErasureRow = z.object({
  key: conversationKeySchema,
  asked: z.number(),
  tenant: z.string(),
  project: z.string(),
  user: z.string(),
  conversation: z.string(),
});
const OwnerRow = z.object({
  tenant: z.string(),
  project: z.string(),
  cid: z.string(),
  owner: z.string(),
});
const HashRow = z.object({ hash: z.string() });
const BlobRow = z.object({ tenant: z.string(), hash: z.string() });

/** Removes what erased conversations leave in a migrated database. */
export function createSqlErasures(database: Database): Erasures {
  const ask = (sql: string, params: readonly Param[], signal: AbortSignal) =>
    withRetry(() => database.query(sql, params), signal);
  return {
    ...createSqlUserErasures(ask),
    async claim({ limit, ttlMs, signal }) {
      const rows = await ask(statements.claim, [limit, ttlMs], signal);
      return rows.map((row): Erasure => parseRow(ErasureRow, row));
    },
    async remove({ key }, { signal }) {
      const [row] = await ask(statements.place, [key], signal);
      if (row === undefined) return false;
      const { tenant, project, cid, owner } = parseRow(OwnerRow, row);
      const space = [tenant, project, cid, owner].map(encodeURIComponent);
      await ask(statements.values, space, signal);
      const most = [snippetsRemovedMax, blocksRemovedMax];
      return toFlag((await ask(statements.remove, [key, ...most], signal))[0]);
    },
    async settle({ key, asked }, { settleMs, signal }) {
      await ask(statements.settle, [key, asked, settleMs], signal);
    },
    async claimBlobs({ limit, ttlMs, signal }) {
      const rows = await ask(statements.claimBlobs, [limit, ttlMs], signal);
      return rows.map((row): LooseBlob => parseRow(BlobRow, row));
    },
    async unnamedBlobs(tenant, hashes, { signal }) {
      const rows = await ask(statements.unnamedBlobs, [tenant, hashes], signal);
      return rows.map((row) => parseRow(HashRow, row).hash);
    },
    async settleBlob({ tenant, hash }, { againInMs, signal }) {
      if (againInMs === undefined) await ask(statements.blobGone, [tenant, hash], signal);
      else await ask(statements.blobLater, [tenant, hash, againInMs], signal);
    },
  };
}
