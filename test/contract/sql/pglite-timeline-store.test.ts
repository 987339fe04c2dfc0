import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPgliteTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import { realTime } from '../timeline-store/real-time.ts';
import { timelineStoreContract } from '../timeline-store.ts';

timelineStoreContract('pglite in memory', async () =>
  realTime(await openPgliteTimelineStore({ dir: undefined })),
);

timelineStoreContract('pglite in a directory', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-pglite-'));
  const opened = realTime(await openPgliteTimelineStore({ dir, durable: true }));
  return {
    ...opened,
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      await rm(dir, { recursive: true });
    },
  };
});
