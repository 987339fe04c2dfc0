import type { Log } from '../../../base/log.ts';
import type { Scope } from '../../../base/scope.ts';
import type { Work } from '../../../base/signal.ts';
import type { BlobStore } from '../../../timeline/ports/blobs.ts';
import type { DescribeTask } from '../aws/watch-task.ts';
import type { DiskQuota } from '../keeper/disk-quota.ts';
import type { FromTask, ToTask } from '../queue/messages.ts';
import type { S3Queue } from '../queue/s3-queue.ts';

/** What a cell in a task is made of. */
export type CellDeps = {
  readonly queue: S3Queue<ToTask, FromTask>;
  /** Everything the task has said since it is there. */
  readonly messages: AsyncIterable<FromTask>;
  readonly describe: DescribeTask;
  readonly stop: (reason: string) => Promise<void>;
  /** Between the two halves of this execution. */
  readonly snapshots: BlobStore;
  readonly blobs: BlobStore;
  readonly fileMb: number;
  /** What the places hold that the program writes to. */
  readonly quotas: readonly DiskQuota[];
  readonly scope: Scope;
  readonly work: Work;
  readonly log: Log;
};
