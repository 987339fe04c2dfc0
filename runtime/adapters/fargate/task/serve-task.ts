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
  /** The task has no permission to list them. */
  readonly objects: QueueObjects;
  readonly snapshots: BlobStore;
  readonly payload: Payload;
  readonly signal: AbortSignal;
};

/** Serves the one executor of this task until the signal. Rejects with the signal's reason if the executor has not connected by then. */
export async function serveTask(
  arriving: PendingContainers,
  { objects, snapshots, payload, signal }: TaskParts,
): Promise<void> {
  const key = Buffer.from(payload.key, 'base64');
  const { folder, rooms: quotas } = payload;
  const queue: TaskQueue = new S3Queue({
    ...{ objects: withoutListing(objects), folder, key, side: 'task', receives: ToTask, signal },
  });
  const messages = queue.receive();
  await messages.next();
  // Warm up while waiting for the other containers.
  const connecting = Promise.all([arriving.keeper(quotas), arriving.executor, warmUpJit()]);
  const [keeper, { stream, output }] = await untilAborted(connecting, signal);
  const runtime = new QueueStream((bytes) => queue.send({ type: 'stream', bytes }));
  const closed = whenClosed(stream);
  const outputs = sendOutputs(output, queue);
  const executorEnded = Promise.all([closed, ...outputs.map(({ ended }) => ended)]);
  const gone = executorEnded.then(() => queue.send({ type: 'gone' }));
  // The executor's image may load long after ours, so report readiness only now.
  await queue.send({ type: 'here' });
  const full = keeper.full.then((place) => queue.send({ type: 'full', place }));
  const related = proxyExecutor({ executor: stream, runtime });
  await Promise.race([
    handleMessages(messages, { queue, keeper, runtime, outputs, executorEnded, snapshots, signal }),
    // The executor's output says why it was never ready, so send that first.
    rejectionOf(related.catch((error: unknown) => gone.then(() => Promise.reject(error)))),
    rejectionOf(gone),
    rejectionOf(full),
    keeper.lost,
  ]);
}

/** The executor may have ended while we waited for the keeper. */
function whenClosed(stream: Duplex): Promise<void> {
  if (stream.closed) return Promise.resolve();
  return new Promise((resolve) => stream.once('close', resolve));
}

/** Rejects when the work fails; never resolves. */
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
