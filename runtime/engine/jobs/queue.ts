import type { Ids } from '../../base/ids.ts';
import type { JobQueue } from '../../sdk/compile/host/bundle-host.ts';
import type { JobStore } from '../ports/jobs.ts';

type Parts = { readonly store: JobStore; readonly ids: Ids };

/** The queue that bundles use in any process. `onEnqueued` wakes the runner of this process. */
export type OpenQueue = JobQueue & { onEnqueued: () => void };

export function createJobQueue({ store, ids }: Parts): OpenQueue {
  const queue: OpenQueue = {
    onEnqueued: () => undefined,
    async enqueue({ job, ...errand }, { ids: { tenant, project, bundle } }) {
      const name = { tenant, project, bundle, job };
      const id = await store.enqueue(name, { id: ids.next('job'), ...errand });
      queue.onEnqueued();
      return { job: id };
    },
  };
  return queue;
}
