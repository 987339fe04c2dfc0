import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { onlyConnection, relay } from '../../../../supervisor/relay.ts';
import type { BlobStore } from '../../../timeline/blobs.ts';
import { LetterStream } from '../letter-stream.ts';
import { ToTask } from '../letters.ts';
import { Mailbox } from '../mailbox.ts';
import type { Payload } from '../payload.ts';
import type { Letterbox } from '../places.ts';
import { outputs, socketPath } from '../settings.ts';
import { awaitKeeper } from './keeper.ts';
import { obey, type TaskBox } from './orders.ts';
import { unlisted } from './unlisted.ts';

export type TaskParts = {
  /** Without a right to list them. */
  readonly objects: Letterbox;
  readonly snapshots: BlobStore;
  readonly payload: Payload;
  readonly signal: AbortSignal;
};

const readBytes = 1024 * 1024;

/** The executor of this task, which may still have to come. */
export type Arriving = { readonly socket: Promise<Duplex> };

/** Its pipes are there before its socket is: whoever connects finds them. */
export async function awaitExecutor(): Promise<Arriving> {
  await promisify(execFile)('mkfifo', ['-m', '666', outputs.stdout, outputs.stderr]);
  return { socket: onlyConnection(socketPath) };
}

/** Serves the one executor of this task, until the signal. */
export async function serveTask(
  { socket }: Arriving,
  { objects, snapshots, payload, signal }: TaskParts,
): Promise<void> {
  const key = Buffer.from(payload.key, 'base64');
  const { folder } = payload;
  const side = 'task';
  const box: TaskBox = new Mailbox({
    objects: unlisted(objects),
    folder,
    key,
    side,
    receives: ToTask,
    signal,
  });
  const letters = box.received();
  await letters.next();
  const keeper = await awaitKeeper(payload.rooms);
  await box.send({ type: 'here' });
  const executor = await socket;
  const runtime = new LetterStream((bytes) => box.send({ type: 'stream', bytes }));
  const closed = new Promise<void>((resolve) => executor.once('close', resolve));
  const printed = Promise.all([print('stdout', box), print('stderr', box)]);
  const over = Promise.all([closed, printed]);
  const gone = over.then(() => box.send({ type: 'gone' }));
  const full = keeper.full.then(() => box.send({ type: 'full' }));
  const related = relay({ executor, runtime });
  await Promise.race([
    obey(letters, { box, keeper, runtime, over, snapshots, signal }),
    failing(related),
    failing(gone),
    failing(full),
    keeper.lost,
  ]);
}

/** Its failures, and nothing else: what ends well ends nothing. */
function failing(work: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    work.catch(reject);
  });
}

/** Ends when nothing has the other end open: every process of the executor is gone. */
async function print(name: 'stdout' | 'stderr', box: TaskBox): Promise<void> {
  const printed: AsyncIterable<Uint8Array> = createReadStream(outputs[name], {
    highWaterMark: readBytes,
  });
  for await (const chunk of printed) {
    await box.send({ type: 'output', name, bytes: Buffer.from(chunk).toString('base64') });
  }
}
