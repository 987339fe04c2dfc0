import type { Json } from '../../base/json.ts';
import type { JobQueue } from '../../sdk/compile/host/bundle-host.ts';
import type { BundleJob } from '../../sdk/contract/runtime-bundle.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import {
  orphanRunMsMax,
  recordingAttempts,
  recordingMsMax,
  retentionEveryMs,
  retentionMsMax,
} from '../limits.ts';
import type { BackgroundQueue, Engine } from '../ports/engine.ts';
import { deleteIdle, type Retention } from './delete-idle.ts';
import { type BlobUpkeep, deleteOrphanBlobs } from './delete-orphan-blobs.ts';
import { recordTurn } from './record-turn.ts';
import { recordingJobs } from './recording-lanes.ts';

type Waits = { readonly signal: AbortSignal };

/** The name under which the runtime's own jobs are stored; no bundle can have it. */
export const systemBundle = 'timeloom:system';

export type SystemParts = {
  /** Absent: conversations are kept. */
  readonly kept?: { readonly places: readonly ProjectScope[]; readonly retention: Retention };
  /** Absent: blobs that nothing refers to are kept. */
  readonly upkeep?: BlobUpkeep;
};

/** The runtime's own jobs. They run like those of bundles: once in the fleet, with retries. */
export function systemJobs(
  engine: Engine,
  { kept, upkeep }: SystemParts = {},
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
  const deletion = kept && {
    ...{ id: 'delete-idle-conversations', timeoutMs: retentionMsMax },
    run: async (_: Json, options: Waits) => {
      for (const place of kept.places) await deleteIdle(engine, { ...kept, place }, options);
    },
  };
  const cleaning = upkeep && {
    ...{ id: 'delete-orphan-blobs', timeoutMs: orphanRunMsMax },
    run: (_: Json, options: Waits) => deleteOrphanBlobs(upkeep, options),
  };
  const regular = [deletion, cleaning].flatMap((job) =>
    job ? [{ ...job, schedule: hourly, on: 'one', attempts: 1, explain } as const] : [],
  );
  return { id: systemBundle, jobs: [...recordings, ...regular] };
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
