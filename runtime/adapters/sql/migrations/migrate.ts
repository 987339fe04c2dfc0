import { Fault } from '../../../base/fault.ts';
import type { Database } from '../database/database.ts';
import { timelineTables } from './0001-timeline.ts';
import { timelineWrites } from './0002-writes.ts';
import { timelineViews } from './0003-views.ts';
import { timelineMemory } from './0004-memory.ts';
import { timelineForks } from './0005-forks.ts';
import { timelineForkTurns } from './0006-fork-turns.ts';
import { memoryCentres } from './0007-centres.ts';
import { programCalls } from './0008-program-calls.ts';
import { feedbackIndex } from './0009-feedback.ts';
import { storedValues } from './0010-stored-values.ts';
import { erasure } from './0011-erasure.ts';
import { jobs } from './0012-jobs.ts';
import { conversationNames } from './0013-names.ts';

/** In order; a migration's number is its position. Released migrations are never edited. */
const migrations: readonly string[] = [
  timelineTables,
  timelineWrites,
  timelineViews,
  timelineMemory,
  timelineForks,
  timelineForkTurns,
  memoryCentres,
  programCalls,
  feedbackIndex,
  storedValues,
  erasure,
  jobs,
  conversationNames,
];

/** An arbitrary constant that no other program on the same database uses as a lock. */
const migrationLock = 7_411_406;

/**
 * Brings the schema up to date. Safe to run from many processes at once: each step takes a lock and checks again.
 * Fault `MIGRATION_FAILED` if a step fails or the database is newer than this program.
 */
export async function migrate(database: Database): Promise<void> {
  await database.script(locked('create table if not exists migration (number int primary key);'));
  const rows = await database.query('select max(number) as number from migration', []);
  const newest = numberOf(rows[0]);
  if (newest > migrations.length) {
    throw new Fault('MIGRATION_FAILED', {
      because: `the database is at version ${newest}, this program at ${migrations.length}; update the program`,
    });
  }
  for (const [index, text] of migrations.entries()) {
    if (index + 1 > newest) await apply(database, index + 1, text);
  }
}

async function apply(database: Database, number: number, text: string): Promise<void> {
  try {
    await database.script(
      locked(`do $migrate$ begin
        if exists (select from migration where number = ${number}) then return; end if;
        execute $migration$${text}$migration$;
        insert into migration (number) values (${number});
      end $migrate$;`),
    );
  } catch (cause) {
    throw new Fault('MIGRATION_FAILED', { number }, { cause });
  }
}

/** One script is one transaction; the lock ends with it. */
function locked(script: string): string {
  return `select pg_advisory_xact_lock(${migrationLock}); ${script}`;
}

function numberOf(row: unknown): number {
  const value: unknown = typeof row === 'object' && row !== null && 'number' in row && row.number;
  return typeof value === 'number' ? value : 0;
}
