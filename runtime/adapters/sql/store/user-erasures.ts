import { z } from 'zod';
import type { Erasures, UserErasure } from '../../../timeline/ports/erasures.ts';
import type { Param } from '../database/database.ts';
import { parseRow, toFlag } from '../rows/rows.ts';

type UserErasures = Pick<Erasures, 'startUser' | 'claimUsers' | 'conversationsOf' | 'settleUser'>;
type Ask = (
  sql: string,
  params: readonly Param[],
  signal: AbortSignal,
) => Promise<readonly unknown[]>;

const later = (param: string) => `clock_timestamp() + ${param}::float8 * interval '1 millisecond'`;
/** All digits: a conversation of the same millisecond may be older or newer. */
const columns = `e.tenant, e.project, e.owner as "user", e.asked, e.late,
  to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`;
const statements = {
  start: `insert into user_erasure as e (tenant, project, owner, due_at) values ($1, $2, $3, ${later('$4')})
    on conflict (tenant, project, owner)
      do update set asked = e.asked + 1, at = clock_timestamp(), due_at = excluded.due_at, late = false
    returning ${columns}`,
  claim: `with due as materialized (
      select tenant, project, owner from user_erasure where due_at <= clock_timestamp() order by due_at limit $1
       for update skip locked)
    update user_erasure e set due_at = ${later('$2')} from due d
     where e.tenant = d.tenant and e.project = d.project and e.owner = d.owner returning ${columns}`,
  conversations: `select cid as id from conversation where tenant = $1 and project = $2 and owner = $3
    and erased_at is null and created_at <= $4::timestamptz order by id limit $5`,
  settle: `with mine as materialized (
      select tenant, project, owner, late from user_erasure
       where tenant = $1 and project = $2 and owner = $3 and asked = $4 for update),
    later as (update user_erasure e set late = true, due_at = ${later('$5')} from mine m
       where not m.late and e.tenant = m.tenant and e.project = m.project and e.owner = m.owner),
    gone as (delete from user_erasure e using mine m
       where m.late and e.tenant = m.tenant and e.project = m.project and e.owner = m.owner)
    select count(*) > 0 as yes from mine`,
} as const;

const UserErasureRow = z.object({
  tenant: z.string(),
  project: z.string(),
  user: z.string(),
  asked: z.number(),
  at: z.string(),
  late: z.boolean(),
});
const IdRow = z.object({ id: z.string() });

/** The outbox of erased users in a migrated database. */
export function createSqlUserErasures(ask: Ask): UserErasures {
  return {
    async startUser({ tenant, project, user }, { ttlMs, signal }) {
      const [row] = await ask(statements.start, [tenant, project, user, ttlMs], signal);
      return parseRow(UserErasureRow, row);
    },
    async claimUsers({ limit, ttlMs, signal }) {
      const rows = await ask(statements.claim, [limit, ttlMs], signal);
      return rows.map((row): UserErasure => parseRow(UserErasureRow, row));
    },
    async conversationsOf({ tenant, project, user, at }, { limit, signal }) {
      const rows = await ask(statements.conversations, [tenant, project, user, at, limit], signal);
      return rows.map((row) => parseRow(IdRow, row).id);
    },
    async settleUser({ tenant, project, user, asked }, { settleMs, signal }) {
      const params = [tenant, project, user, asked, settleMs];
      return toFlag((await ask(statements.settle, params, signal))[0]);
    },
  };
}
