import { createMemoryJobs } from '../../../../runtime/adapters/memory/jobs.ts';
import { Scope } from '../../../../runtime/base/scope.ts';
import { JobRunner } from '../../../../runtime/engine/jobs/runner.ts';
import type { JobStore } from '../../../../runtime/engine/ports/jobs.ts';
import { parseSchedule } from '../../../../runtime/sdk/compile/operations/schedule.ts';
import type { BundleJob } from '../../../../runtime/sdk/contract/runtime-bundle.ts';
import { manualClock } from '../../../../runtime/testing/index.ts';
import { createReadableLog } from '../../sdk/kit.ts';

type Run = (n: unknown, signal: AbortSignal) => void | Promise<void>;

export function jobOf(id: string, run: Run, more: Partial<BundleJob> = {}): BundleJob {
  return {
    ...{ id, on: 'one', timeoutMs: 60_000, attempts: more.schedule ? 1 : 3 },
    run: async (input, { signal }) => run(input, signal),
    explain: (error) => String(error instanceof Error ? error.message : error),
    ...more,
  };
}

export function every(pattern: string): NonNullable<BundleJob['schedule']> {
  const parsed = parseSchedule(pattern);
  if ('because' in parsed) throw new Error(parsed.because);
  return parsed.schedule;
}

export const nameOf = (job: string) => ({ tenant: 't', project: 'p', bundle: 'desk', job });

/** Runners over one store and one clock that the test controls. */
export function openFleet() {
  const clock = manualClock('2026-01-01T00:00:30.000Z');
  const store = createMemoryJobs({ clock });
  const scope = new Scope();
  const { log, lines } = createReadableLog();
  let last = 0;
  const start = (jobs: readonly BundleJob[], over: JobStore = store) => {
    last += 1;
    const served = jobs.map((job) => ({ name: nameOf(job.id), job }));
    const stop = new AbortController();
    const parts = { store: over, clock, log, by: `worker_${last}` };
    return scope.own(new JobRunner(parts, served, { signal: stop.signal }));
  };
  const enqueue = (job: string, input: number) => {
    last += 1;
    return store.enqueue(nameOf(job), { id: `job_${last}`, input, delayMs: 0 });
  };
  const countOf = async (id: string) =>
    (await store.counts(nameOf(id))).find(({ job }) => job === id);
  return {
    ...{ clock, store, lines, start, enqueue, countOf },
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

/** A store whose single methods can be replaced. */
export function memberwise(store: JobStore): JobStore {
  return {
    now: () => store.now(),
    enqueue: (name, errand) => store.enqueue(name, errand),
    schedule: (name, tick) => store.schedule(name, tick),
    claim: (jobs, options) => store.claim(jobs, options),
    renew: (claim, options) => store.renew(claim, options),
    finish: (claim, ending) => store.finish(claim, ending),
    counts: (place) => store.counts(place),
    failures: (name, options) => store.failures(name, options),
  };
}
