import { createMemoryJobs } from '../../adapters/memory/jobs.ts';
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { Scope } from '../../base/scope.ts';
import { Cancelled } from '../../base/signal.ts';
import type { OpenQueue } from '../../engine/jobs/queue.ts';
import { JobRunner, type ServedBundleJob } from '../../engine/jobs/runner.ts';
import type { JobStore } from '../../engine/ports/jobs.ts';
import type { RuntimeBundle } from '../../sdk/contract/runtime-bundle.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';

export type JobPorts = {
  readonly jobs: JobStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};
/** The bundles of a project, whose jobs run under its name. */
export type ProjectJobs = {
  readonly bundles: readonly Pick<RuntimeBundle, 'id' | 'jobs'>[];
  readonly place: ProjectScope;
};
type Parts = {
  readonly projects: readonly ProjectJobs[];
  readonly queue: Pick<OpenQueue, 'onEnqueued'>;
};

/** Runs the jobs of these bundles until `scope` ends, shared among all processes or in each process, as the job says. */
export function openJobs(
  { jobs, clock, ids, log }: JobPorts,
  { projects, queue }: Parts,
  scope: Scope,
): void {
  const served = projects.flatMap(({ place: { tenant, project }, bundles }) =>
    bundles.flatMap(({ id: bundle, jobs: all }) =>
      all.map((job): ServedBundleJob => ({ name: { tenant, project, bundle, job: job.id }, job })),
    ),
  );
  const stopped = new AbortController();
  scope.defer(() => stopped.abort(new Cancelled('shutdown')));
  const open = (store: JobStore, some: readonly ServedBundleJob[]) => {
    if (some.length === 0) return undefined;
    const parts = { store, clock, log, by: ids.next('worker') };
    return scope.own(new JobRunner(parts, some, stopped));
  };
  open(
    createMemoryJobs({ clock }),
    served.filter(({ job }) => job.on === 'each'),
  );
  const shared = open(
    jobs,
    served.filter(({ job }) => job.on === 'one'),
  );
  queue.onEnqueued = () => shared?.wake();
}
