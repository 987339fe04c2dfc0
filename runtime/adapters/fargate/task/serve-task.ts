import type { Duplex } from 'node:stream';
import { warmUpJit } from '../../../../supervisor/connection/jit-warmup.ts';
import { proxyExecutor } from '../../../../supervisor/connection/proxy.ts';
import { untilAborted } from '../../../base/signal.ts';
import type { BlobStore } from '../../../timeline/ports/blobs.ts';
import type { QueueObjects } from '../queue/bucket.ts';
import { ToTask } from '../queue/messages.ts';
import type { Payload } from '../queue/payload.ts';
import { QueueStream } from '../queue/queue-stream.ts';
import { S3Queue } from '../queue/s3-queue.ts';
import type { ExecutorConnection, PendingContainers } from './await-containers.ts';
import { withoutListing } from './get-unlisted.ts';
import { handleMessages, type TaskQueue } from './handle-messages.ts';
import { type OutputSender, sendOutput } from './send-output.ts';

export type TaskParts = {
  /** Without a right to list them. */
  readonly objects: QueueObjects;
  readonly snapshots: BlobStore;
  readonly payload: Payload;
  readonly signal: AbortSignal;
};

/** Serves the one executor of this task, until the signal; rejects with its reason if nobody has come by then. */
export async function serveTask(
  arriving: PendingContainers,
  { objects, snapshots, payload, signal }: TaskParts,
): Promise<void> {
  const key = Buffer.from(payload.key, 'base64');
  const { folder, rooms } = payload;
  const queue: TaskQueue = new S3Queue({
    ...{ objects: withoutListing(objects), folder, key, side: 'task', receives: ToTask, signal },
  });
  const messages = queue.receive();
  await messages.next();
  // While nobody has come there is time.
  const coming = Promise.all([arriving.keeper(rooms), arriving.executor, warmUpJit()]);
  const [keeper, { stream, output }] = await untilAborted(coming, signal);
  const runtime = new QueueStream((bytes) => queue.send({ type: 'stream', bytes }));
  const closed = whenClosed(stream);
  const outputs = sendOutputs(output, queue);
  const executorEnded = Promise.all([closed, ...outputs.map(({ ended }) => ended)]);
  const gone = executorEnded.then(() => queue.send({ type: 'gone' }));
  // Its image may come long after ours: only from here on it is soon ready.
  await queue.send({ type: 'here' });
  const full = keeper.full.then((place) => queue.send({ type: 'full', place }));
  const related = proxyExecutor({ executor: stream, runtime });
  await Promise.race([
    handleMessages(messages, { queue, keeper, runtime, outputs, executorEnded, snapshots, signal }),
    // Why an executor was never ready is in what it output.
    rejectionOf(related.catch((error: unknown) => gone.then(() => Promise.reject(error)))),
    rejectionOf(gone),
    rejectionOf(full),
    keeper.lost,
  ]);
}

/** An executor may have ended while its keeper was waited for. */
function whenClosed(stream: Duplex): Promise<void> {
  if (stream.closed) return Promise.resolve();
  return new Promise((resolve) => stream.once('close', resolve));
}

/** Its failures, and nothing else: what ends well ends nothing. */
function rejectionOf(work: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    work.catch(reject);
  });
}

function sendOutputs(
  output: ExecutorConnection['output'],
  queue: TaskQueue,
): readonly OutputSender[] {
  return (['stdout', 'stderr'] as const).map((name) =>
    sendOutput(output[name], (part) => queue.send({ type: 'output', name, ...part })),
  );
}
