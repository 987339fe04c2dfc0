import { z } from 'zod';
import { type Json, parseJson } from '../../../base/json.ts';
import { jobFailuresKeptMax, jobKeyKeptMs, jobQueueMax } from '../../../engine/limits.ts';
import {
  type Claim,
  type JobName,
  type JobStore,
  type ServedJob,
  tooManyErrands,
} from '../../../engine/ports/jobs.ts';
import type { Database, Param } from '../database/database.ts';
import { withRetry } from '../database/retry.ts';
import { parseRow, toFlag } from '../rows/rows.ts';

const statements = {
  now: `select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms`,
  enqueue: `select job_enqueue($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as name`,
  schedule: `select job_schedule($1, $2, $3, $4, $5, $6)`,
  claim: `select * from job_claim($1, $2, $3, $4, $5, $6, $7)`,
  renew: `select job_renew($1, $2, $3, $4, $5, $6) as yes`,
  finish: `select job_finish($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) as yes`,
  counts: `select j.bundle, j.name as job, j.done, j.failed,
      (select count(*) from errand e where e.job = j.id and e.over_at is null and e.name is not null) as waiting
    from job j where j.tenant = $1 and j.project = $2 order by j.bundle, j.name`,
  failures: `select f.errand, f.attempt, f.final, f.error, f.input, (extract(epoch from f.at) * 1000)::float8 as at_ms
    from job_failure f join job j on j.id = f.job
    where j.tenant = $1 and j.project = $2 and j.bundle = $3 and j.name = $4 order by f.id desc limit $5`,
} as const;

/** Renews the lease of a job. */
export const jobRenewal = statements.renew;

const AnyJson = z.custom<Json>((value) => value !== undefined);
/** A tick has none. */
const Input = z
  .string()
  .nullable()
  .transform((text) => parseJson(text ?? '{}'))
  .pipe(AnyJson);
const Errand = z
  .string()
  .nullable()
  .transform((name) => name ?? undefined);

const NowRow = z.object({ now_ms: z.number() });
const NameRow = z.object({ name: z.string().nullable() });
const ClaimRow = z.object({
  tenant: z.string(),
  project: z.string(),
  bundle: z.string(),
  name: z.string(),
  fence: z.number(),
  row_id: z.number(),
  errand: Errand,
  input: Input,
  attempt: z.number(),
  interrupted: z.boolean(),
  due_ms: z.number(),
  now_ms: z.number(),
});
const CountRow = z.object({
  bundle: z.string(),
  job: z.string(),
  waiting: z.number(),
  done: z.number(),
  failed: z.number(),
});
const FailureRow = z.object({
  errand: Errand,
  attempt: z.number(),
  final: z.boolean(),
  error: z.string(),
  input: Input,
  at_ms: z.number(),
});

/** Jobs in a migrated database, shared by all processes that open it. */
export function createSqlJobs(database: Database): JobStore {
  const once = (sql: string, params: readonly Param[]) => database.query(sql, params);
  const ask = (sql: string, params: readonly Param[]) => withRetry(() => once(sql, params));
  return {
    async now() {
      const [row] = await ask(statements.now, []);
      return parseRow(NowRow, row).now_ms;
    },
    async enqueue(name, { id, key = null, input, delayMs }) {
      const errand = [id, key, JSON.stringify(input), delayMs];
      const limits = [jobQueueMax, jobKeyKeptMs];
      const [row] = await ask(statements.enqueue, [...columnsOf(name), ...errand, ...limits]);
      const known = parseRow(NameRow, row).name;
      if (known === null) throw tooManyErrands();
      return known;
    },
    async schedule(name, tick) {
      const { scheduleText = null, dueMs = null } = tick ?? {};
      await ask(statements.schedule, [...columnsOf(name), scheduleText, dueMs]);
    },
    async claim(jobs, { by, ttlMs }) {
      // No retry: if the reply was lost, its claims become free when their lease expires.
      const [row] = await once(statements.claim, [...listsOf(jobs), by, ttlMs]);
      return row === undefined ? undefined : toClaim(row);
    },
    async renew({ name, fence }, { ttlMs }) {
      const [row] = await ask(statements.renew, [...columnsOf(name), fence, ttlMs]);
      return toFlag(row);
    },
    async finish({ name, fence, row, errand = null }, ending) {
      const { error = null, retryMs = null } = ending.kind === 'failed' ? ending : {};
      const what = [fence, row, errand, error, retryMs, ending.nextMs ?? null];
      const params = [...columnsOf(name), ...what, jobFailuresKeptMax];
      const [said] = await ask(statements.finish, params);
      return toFlag(said);
    },
    async counts({ tenant, project }) {
      const rows = await ask(statements.counts, [tenant, project]);
      return rows.map((row) => parseRow(CountRow, row));
    },
    async failures(name, { limit }) {
      const rows = await ask(statements.failures, [...columnsOf(name), limit]);
      return rows.map((row) => {
        const { at_ms: atMs, ...failure } = parseRow(FailureRow, row);
        return { ...failure, atMs };
      });
    },
  };
}

function columnsOf({ tenant, project, bundle, job }: JobName): readonly string[] {
  return [tenant, project, bundle, job];
}

function listsOf(jobs: readonly ServedJob[]): readonly (readonly (string | null)[])[] {
  return [
    jobs.map(({ tenant }) => tenant),
    jobs.map(({ project }) => project),
    jobs.map(({ bundle }) => bundle),
    jobs.map(({ job }) => job),
    jobs.map(({ scheduleText = null }) => scheduleText),
  ];
}

function toClaim(claimed: unknown): Claim {
  const { tenant, project, bundle, name: job, ...rest } = parseRow(ClaimRow, claimed);
  const { row_id: row, due_ms: dueMs, now_ms: nowMs, ...claim } = rest;
  return { ...claim, row, name: { tenant, project, bundle, job }, dueMs, nowMs };
}
