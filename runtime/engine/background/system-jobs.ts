import type { JobQueue } from '../../sdk/compile/host/bundle-host.ts';
import type { BundleJob } from '../../sdk/contract/runtime-bundle.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import { recordingAttempts, recordingMsMax } from '../limits.ts';
import type { BackgroundQueue, Engine } from '../ports/engine.ts';
import { recordTurn } from './record-turn.ts';
import { recordingJobs } from './recording-lanes.ts';

/** The name under which the runtime's own jobs are stored; no bundle can have it. */
export const systemBundle = 'timeloom:system';

/** The runtime's own jobs. They run like those of bundles: once in the fleet, with retries. */
export function systemJobs(engine: Engine): { readonly id: string; readonly jobs: BundleJob[] } {
  const jobs = recordingJobs.map((id): BundleJob => {
    return {
      id,
      on: 'one',
      timeoutMs: recordingMsMax,
      attempts: recordingAttempts,
      run: (input, options) => recordTurn(engine, input, options),
      explain,
    };
  });
  return { id: systemBundle, jobs };
}

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
