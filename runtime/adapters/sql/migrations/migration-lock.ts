import { z } from 'zod';
import { Fault, isFault } from '../../../base/fault.ts';
import type { Log } from '../../../base/log.ts';
import type { Database } from '../database/database.ts';
import { parseRow } from '../rows/rows.ts';

/** An arbitrary constant that no other program on the same database uses as a lock. */
const migrationLock = 7_411_406;

export type Locks = {
  /** How long one attempt waits for a lock. Meanwhile, later statements queue behind it. */
  readonly lockWaitMs: number;
  /** Attempts before the migration gives up. */
  readonly lockTriesMax: number;
  readonly log: Log;
};

/** SQLSTATE of a lock timeout, and our own for the lock that migrations take in turn. */
const lockTimeout = '55P03';
const peerMigrating = 'TL001';

/**
 * Runs a script in one transaction that only one process at a time can be in. Waits as long as another process is
 * migrating; fault `MIGRATION_BLOCKED` if any other session holds a lock that the script needs for too long.
 */
export async function runLocked(
  database: Database,
  script: string,
  { lockWaitMs, lockTriesMax, log }: Locks,
): Promise<void> {
  const text = `set local lock_timeout = ${lockWaitMs};
    do $lock$ begin perform pg_advisory_xact_lock(${migrationLock});
    exception when lock_not_available then
      raise exception 'another process is migrating' using errcode = '${peerMigrating}';
    end $lock$;
    ${script}`;
  for (let tries = 1; ; ) {
    const timeout = await attempt(database, text);
    if (timeout === undefined) return;
    const holders = (await database.query(holdersStatement, [])).map(toHolder);
    const isPeerAtWork = holders.some(({ peer, state }) => peer && state === 'active');
    const sessions = holders.map(describe);
    if (!isPeerAtWork && tries >= lockTriesMax) throw blocked(sessions, timeout);
    log.warn('a migration waits for a lock', { sessions, tries });
    if (!isPeerAtWork) tries += 1;
  }
}

/** The error if a lock was not to be had in time; any other error is thrown. */
async function attempt(database: Database, text: string): Promise<Error | undefined> {
  try {
    await database.script(text);
    return undefined;
  } catch (error) {
    if (isLockTimeout(error)) return error;
    throw error;
  }
}

function isLockTimeout(error: unknown): error is Fault {
  if (!isFault(error)) return false;
  const code = error.detail['code'];
  return code === lockTimeout || code === peerMigrating;
}

const Holder = z.object({
  pid: z.number(),
  program: z.string(),
  state: z.string(),
  open: z.number(),
  peer: z.boolean(),
});
type Holder = z.infer<typeof Holder>;

function toHolder(row: unknown): Holder {
  return parseRow(Holder, row);
}

/** Sessions that hold the lock of migrations or a lock on one of our tables, oldest transaction first. */
const holdersStatement = `select a.pid, coalesce(a.application_name, '') as program, coalesce(a.state, 'unknown') as state,
    coalesce(extract(epoch from clock_timestamp() - min(a.xact_start)), 0)::float8 as open,
    bool_or(l.locktype = 'advisory') as peer
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
 where l.granted and l.pid <> pg_backend_pid()
   and l.database = (select oid from pg_database where datname = current_database())
   and (l.locktype = 'advisory' and l.classid = 0 and l.objid = ${migrationLock}
     or l.relation in (select oid from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'))
 group by 1, 2, 3 order by open desc limit 3`;

function describe({ pid, program, state, open }: Holder): string {
  return `${pid} (${program === '' ? 'unnamed' : program}, ${state}, transaction open for ${Math.round(open)} s)`;
}

function blocked(sessions: readonly string[], cause: unknown): Fault {
  const because =
    sessions.length === 0
      ? 'the session that held it has ended meanwhile'
      : `session ${sessions.join(', session ')}; to end a session: select pg_terminate_backend(<number>)`;
  return new Fault('MIGRATION_BLOCKED', { because }, { cause });
}
