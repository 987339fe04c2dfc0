import type { Log } from '../../../base/log.ts';
import type { Scope } from '../../../base/scope.ts';
import type { Work } from '../../../base/signal.ts';
import type { BlobStore } from '../../../timeline/ports/blobs.ts';
import type { DescribeTask } from '../aws/watch-task.ts';
import type { DiskQuota } from '../keeper/disk-quota.ts';
import type { FromTask, ToTask } from '../queue/messages.ts';
import type { S3Queue } from '../queue/s3-queue.ts';

/** What a cell in a Fargate task depends on. */
export type CellDeps = {
  readonly queue: S3Queue<ToTask, FromTask>;
  /** Messages of the task, from its first one on. */
  readonly messages: AsyncIterable<FromTask>;
  readonly describe: DescribeTask;
  readonly stop: (reason: string) => Promise<void>;
  /** Files exchanged between runtime and task. */
  readonly snapshots: BlobStore;
  readonly blobs: BlobStore;
  readonly fileMb: number;
  /** Limits of the folders that the program writes to. */
  readonly quotas: readonly DiskQuota[];
  readonly scope: Scope;
  readonly work: Work;
  readonly log: Log;
};
