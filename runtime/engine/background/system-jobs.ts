import type { JobQueue } from '../../sdk/compile/host/bundle-host.ts';
import type { BundleJob } from '../../sdk/contract/runtime-bundle.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import { recordingAttempts, recordingMsMax, retentionEveryMs, retentionMsMax } from '../limits.ts';
import type { BackgroundQueue, Engine } from '../ports/engine.ts';
import { deleteIdle, type Retention } from './delete-idle.ts';
import { recordTurn } from './record-turn.ts';
import { recordingJobs } from './recording-lanes.ts';

/** The name under which the runtime's own jobs are stored; no bundle can have it. */
export const systemBundle = 'timeloom:system';

/** The runtime's own jobs. They run like those of bundles: once in the fleet, with retries. */
export function systemJobs(
  engine: Engine,
  kept?: { readonly places: readonly ProjectScope[]; readonly retention: Retention },
): { readonly id: string; readonly jobs: readonly BundleJob[] } {
  const recordings = recordingJobs.map((id): BundleJob => {
    return {
      id,
      on: 'one',
      timeoutMs: recordingMsMax,
      attempts: recordingAttempts,
      run: (input, options) => recordTurn(engine, input, options),
      explain,
    };
  });
  const deletion: BundleJob = {
    id: 'delete-idle-conversations',
    schedule: hourly,
    on: 'one',
    timeoutMs: retentionMsMax,
    attempts: 1,
    run: async (_, options) => {
      if (!kept) return;
      for (const place of kept.places) await deleteIdle(engine, { ...kept, place }, options);
    },
    explain,
  };
  return { id: systemBundle, jobs: kept ? [...recordings, deletion] : recordings };
}

const hourly: NonNullable<BundleJob['schedule']> = {
  key: 'hourly',
  next: (afterMs) => (Math.floor(afterMs / retentionEveryMs) + 1) * retentionEveryMs,
};

export function createBackgroundQueue(queue: JobQueue, place: ProjectScope): BackgroundQueue {
  const { tenant, project } = place;
  const ids = { tenant, project, bundle: systemBundle, revision: '' };
  return {
    async enqueue(errand) {
      await queue.enqueue(errand, { ids, signal: new AbortController().signal });
    },
  };
}

function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
