import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMemoryJobs } from '../../../runtime/adapters/memory/jobs.ts';
import type { Database } from '../../../runtime/adapters/sql/database/database.ts';
import { openPglite } from '../../../runtime/adapters/sql/database/pglite.ts';
import { openPostgres } from '../../../runtime/adapters/sql/database/postgres.ts';
import { openSqlTimelineStore } from '../../../runtime/adapters/sql/store/timeline-store.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { jobKeyKeptMs } from '../../../runtime/engine/limits.ts';
import { openDatabase } from '../../tools/services/shared-postgres.ts';
import { type JobStoreUnderTest, jobStoreContract } from '../job-store.ts';

const name = { tenant: 't', project: 'p', bundle: 'desk', job: 'mail' };

jobStoreContract('memory', async () => {
  let now = 1_000_000;
  const store = createMemoryJobs({ clock: { now: () => now } });
  return {
    near: store,
    far: store,
    pass: async (ms) => {
      now += ms;
    },
    fill: async (job, count) => {
      for (let n = 1; n <= count; n += 1) {
        await store.enqueue(job, { id: `fill_${n}`, input: 1, delayMs: 0 });
      }
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
});

jobStoreContract('pglite', async () => {
  const scope = new Scope();
  const database = await openPglite({ dir: undefined });
  const { jobs } = scope.own(await openSqlTimelineStore(database));
  return sqlUnderTest(database, { near: jobs, far: jobs, scope });
});

jobStoreContract('postgres', async () => {
  const scope = new Scope();
  const url = await openDatabase();
  const [one, other] = [
    openPostgres({ url, log: silentLog }),
    openPostgres({ url, log: silentLog }),
  ];
  const near = scope.own(await openSqlTimelineStore(one)).jobs;
  const far = scope.own(await openSqlTimelineStore(other)).jobs;
  return sqlUnderTest(one, { near, far, scope });
});

type Ends = Pick<JobStoreUnderTest, 'near' | 'far'> & { readonly scope: Scope };

/** The database's clock is moved on by waiting alone. */
function sqlUnderTest(database: Database, { near, far, scope }: Ends): JobStoreUnderTest {
  return {
    near,
    far,
    pass: (ms) => setTimeout(ms + 5),
    fill: async ({ tenant, project, bundle, job }, count) => {
      await database.query(
        `insert into errand (job, name, input, due_at)
           select job_row($1, $2, $3, $4), 'fill_' || n, '1', clock_timestamp() from generate_series(1, $5::int) n`,
        [tenant, project, bundle, job, count],
      );
    },
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

// proves: jobs.keys
test('a key is forgotten a week after its errand is done, and in passing its row is removed', async () => {
  let now = 0;
  const memory = createMemoryJobs({ clock: { now: () => now } });
  const database = await openPglite({ dir: undefined });
  await using store = await openSqlTimelineStore(database);
  const passes = [
    async () => {
      now += jobKeyKeptMs;
    },
    async () =>
      database.query(
        `update errand set over_at = over_at - $1::float8 * interval '1 millisecond'`,
        [jobKeyKeptMs],
      ),
  ];
  for (const [index, jobs] of [memory, store.jobs].entries()) {
    await jobs.enqueue(name, { id: 'job_1', key: 'k', input: 1, delayMs: 0 });
    const claim = await jobs.claim([name], { by: 'a', ttlMs: 1_000 });
    if (claim) await jobs.finish(claim, { kind: 'done' });
    expect(await jobs.enqueue(name, { id: 'job_2', key: 'k', input: 1, delayMs: 0 })).toBe('job_1');
    await passes[index]?.();
    expect(await jobs.enqueue(name, { id: 'job_3', key: 'k', input: 1, delayMs: 0 })).toBe('job_3');
  }
  expect(await database.query('select name from errand', [])).toEqual([{ name: 'job_3' }]);
});
