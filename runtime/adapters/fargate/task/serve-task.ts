import type { Duplex } from 'node:stream';
import { warmUpJit } from '../../../../supervisor/connection/jit-warmup.ts';
import { proxyExecutor } from '../../../../supervisor/connection/proxy.ts';
import { untilAborted } from '../../../base/signal.ts';
import type { BlobStore } from '../../../timeline/ports/blobs.ts';
import type { Letterbox } from '../queue/bucket.ts';
import { ToTask } from '../queue/messages.ts';
import type { Payload } from '../queue/payload.ts';
import { LetterStream } from '../queue/queue-stream.ts';
import { Mailbox } from '../queue/s3-queue.ts';
import type { Arrived, Arriving } from './await-containers.ts';
import { unlisted } from './get-unlisted.ts';
import { obey, type TaskBox } from './handle-messages.ts';
import { carry, type Printed } from './send-output.ts';

export type TaskParts = {
  /** Without a right to list them. */
  readonly objects: Letterbox;
  readonly snapshots: BlobStore;
  readonly payload: Payload;
  readonly signal: AbortSignal;
};

/** Serves the one executor of this task, until the signal; rejects with its reason if nobody has come by then. */
export async function serveTask(
  arriving: Arriving,
  { objects, snapshots, payload, signal }: TaskParts,
): Promise<void> {
  const key = Buffer.from(payload.key, 'base64');
  const { folder, rooms } = payload;
  const box: TaskBox = new Mailbox({
    ...{ objects: unlisted(objects), folder, key, side: 'task', receives: ToTask, signal },
  });
  const letters = box.received();
  await letters.next();
  // While nobody has come there is time.
  const coming = Promise.all([arriving.keeper(rooms), arriving.executor, warmUpJit()]);
  const [keeper, { stream, printed }] = await untilAborted(coming, signal);
  const runtime = new LetterStream((bytes) => box.send({ type: 'stream', bytes }));
  const closed = closing(stream);
  const outputs = carried(printed, box);
  const over = Promise.all([closed, ...outputs.map(({ ended }) => ended)]);
  const gone = over.then(() => box.send({ type: 'gone' }));
  // Its image may come long after ours: only from here on it is soon ready.
  await box.send({ type: 'here' });
  const full = keeper.full.then((place) => box.send({ type: 'full', place }));
  const related = proxyExecutor({ executor: stream, runtime });
  await Promise.race([
    obey(letters, { box, keeper, runtime, outputs, over, snapshots, signal }),
    // Why an executor was never ready is in what it printed.
    failing(related.catch((error: unknown) => gone.then(() => Promise.reject(error)))),
    failing(gone),
    failing(full),
    keeper.lost,
  ]);
}

/** An executor may have ended while its keeper was waited for. */
function closing(stream: Duplex): Promise<void> {
  if (stream.closed) return Promise.resolve();
  return new Promise((resolve) => stream.once('close', resolve));
}

/** Its failures, and nothing else: what ends well ends nothing. */
function failing(work: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    work.catch(reject);
  });
}

function carried(printed: Arrived['printed'], box: TaskBox): readonly Printed[] {
  return (['stdout', 'stderr'] as const).map((name) =>
    carry(printed[name], (part) => box.send({ type: 'output', name, ...part })),
  );
}
