import { z } from 'zod';
import { Fault, isFault } from '../../../base/fault.ts';
import { silentLog } from '../../../base/log.ts';
import type { Database } from '../database/database.ts';
import { migrationLockTriesMax, migrationLockWaitMs } from '../database/limits.ts';
import { type FunctionSet, readFunctionSet } from '../functions/function-set.ts';
import { parseRow, toFlag } from '../rows/rows.ts';
import { type Locks, runLocked } from './migration-lock.ts';
import { migrations } from './numbered-migrations.ts';

const VersionRow = z.object({ number: z.number() });
const FunctionSetRow = z.object({ revision: z.number(), hash: z.string() });

type Options = Partial<Locks> & {
  readonly functions?: FunctionSet;
};

/**
 * Brings the schema up to date: the numbered migrations, then the functions in the transaction of the last migration.
 * Safe to run from many processes at once: each step takes a lock and checks again. Fault `MIGRATION_FAILED` if a step
 * fails or the database is newer than this program; `MIGRATION_BLOCKED` if another session keeps a lock.
 */
export async function migrate(database: Database, options: Options = {}): Promise<void> {
  const { functions = readFunctionSet(), ...rest } = options;
  const locks = {
    lockWaitMs: migrationLockWaitMs,
    lockTriesMax: migrationLockTriesMax,
    log: silentLog,
    ...rest,
  };
  const newest = await readVersion(database, locks);
  if (newest === migrations.length && (await isInForce(database, functions))) return;
  for (const { name, script } of stepsAfter(newest, functions)) {
    try {
      await runLocked(database, script, locks);
    } catch (cause) {
      if (isFault(cause) && cause.code === 'MIGRATION_BLOCKED') throw cause;
      throw new Fault('MIGRATION_FAILED', { step: name }, { cause });
    }
  }
}

/** The number of the newest migration that the database has. Fault if this program does not know it. */
async function readVersion(database: Database, locks: Locks): Promise<number> {
  const [known] = await database.query(`select to_regclass('migration') is not null as yes`, []);
  if (!toFlag(known))
    await runLocked(
      database,
      'create table if not exists migration (number int primary key);',
      locks,
    );
  const [row] = await database.query(
    'select coalesce(max(number), 0) as number from migration',
    [],
  );
  const { number: newest } = parseRow(VersionRow, row);
  if (newest <= migrations.length) return newest;
  throw new Fault('MIGRATION_FAILED', {
    because: `the database is at version ${newest}, this program at ${migrations.length}; update the program`,
  });
}

/** Whether the functions need no change: a start with nothing to do waits for no lock. */
async function isInForce(database: Database, functions: FunctionSet): Promise<boolean> {
  const newest = 'select revision, hash from function_set order by revision desc limit 1';
  const [row] = await database.query(newest, []);
  if (row === undefined) return false;
  const { revision, hash } = parseRow(FunctionSetRow, row);
  return (
    revision > functions.revision || (revision === functions.revision && hash === functions.hash)
  );
}

type Step = { readonly name: string; readonly script: string };

function stepsAfter(newest: number, functions: FunctionSet): readonly Step[] {
  const steps = migrations
    .map((text, index) => ({
      name: `migration ${index + 1}`,
      script: toMigration(index + 1, text),
    }))
    .slice(newest);
  const last = steps.pop() ?? { name: 'functions', script: '' };
  return [...steps, { ...last, script: `${last.script} ${toReplacement(functions)}` }];
}

function toMigration(number: number, text: string): string {
  return `do $migrate$ begin
      if exists (select from migration where number = ${number}) then return; end if;
      execute $migration$${text}$migration$;
      insert into migration (number) values (${number});
    end $migrate$;`;
}

/** The same revision with another hash is a checkout in which somebody edits the functions. */
function toReplacement({ revision, hash, text }: FunctionSet): string {
  return `do $replace$
    declare applied function_set;
    begin
      select * into applied from function_set order by revision desc limit 1;
      if applied.revision > ${revision} or (applied.revision, applied.hash) = (${revision}, '${hash}') then
        return;
      end if;
      perform set_config('check_function_bodies', 'off', true);
      execute $functions$${text}$functions$;
      insert into function_set (revision, hash) values (${revision}, '${hash}')
        on conflict (revision) do update set hash = excluded.hash;
    end $replace$;`;
}
