import type { Log } from '../../../base/log.ts';
import type { Scope } from '../../../base/scope.ts';
import type { Work } from '../../../base/signal.ts';
import type { BlobStore } from '../../../timeline/ports/blobs.ts';
import type { AskTask } from '../aws/watch-task.ts';
import type { Room } from '../keeper/disk-quota.ts';
import type { FromTask, ToTask } from '../queue/messages.ts';
import type { Mailbox } from '../queue/s3-queue.ts';

/** What a cell in a task is made of. */
export type Made = {
  readonly mailbox: Mailbox<ToTask, FromTask>;
  /** Everything the task has said since it is there. */
  readonly letters: AsyncIterable<FromTask>;
  readonly look: AskTask;
  readonly stop: (reason: string) => Promise<void>;
  /** Between the two halves of this execution. */
  readonly snapshots: BlobStore;
  readonly blobs: BlobStore;
  readonly fileMb: number;
  /** What the places hold that the program writes to. */
  readonly rooms: readonly Room[];
  readonly scope: Scope;
  readonly work: Work;
  readonly log: Log;
};
