import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { onlyConnection, relay } from '../../../../supervisor/relay.ts';
import type { BlobStore } from '../../../timeline/blobs.ts';
import { LetterStream } from '../letter-stream.ts';
import { type FromTask, ToTask } from '../letters.ts';
import { sealGraceMs } from '../limits.ts';
import { Mailbox } from '../mailbox.ts';
import type { Payload } from '../payload.ts';
import type { Letterbox } from '../places.ts';
import { outputs, socketPath } from '../settings.ts';
import { furnish } from './inputs.ts';
import { seal } from './seal.ts';
import { unlisted } from './unlisted.ts';

export type TaskParts = {
  /** Without a right to list them. */
  readonly objects: Letterbox;
  readonly snapshots: BlobStore;
  readonly payload: Payload;
  readonly signal: AbortSignal;
};

const readBytes = 1024 * 1024;

type Box = Mailbox<FromTask, ToTask>;

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
  const box: Box = new Mailbox({
    objects: unlisted(objects),
    folder,
    key,
    side,
    receives: ToTask,
    signal,
  });
  const letters = box.received();
  await letters.next();
  await box.send({ type: 'here' });
  const executor = await socket;
  const runtime = new LetterStream((bytes) => box.send({ type: 'stream', bytes }));
  const closed = new Promise<void>((resolve) => executor.once('close', resolve));
  const printed = Promise.all([print('stdout', box), print('stderr', box)]);
  const over = Promise.all([closed, printed]);
  const gone = over.then(() => box.send({ type: 'gone' }));
  const related = relay({ executor, runtime });
  await Promise.race([
    follow(letters, { box, runtime, over, snapshots, signal }),
    failing(related),
    failing(gone),
  ]);
}

/** Its failures, and nothing else: what ends well ends nothing. */
function failing(work: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    work.catch(reject);
  });
}

async function follow(
  letters: AsyncIterable<ToTask>,
  options: {
    box: Box;
    runtime: LetterStream;
    over: Promise<unknown>;
    snapshots: BlobStore;
    signal: AbortSignal;
  },
): Promise<void> {
  const { box, runtime, over, snapshots, signal } = options;
  for await (const letter of letters) {
    if (letter.type === 'stream') await runtime.deliver(letter.bytes);
    else if (letter.type === 'furnish') {
      await box.send({ type: 'furnished', because: await furnished(letter.files, options) });
    } else if (letter.type === 'seal') {
      await Promise.race([over, sleep(sealGraceMs, undefined, { signal })]);
      const { bytesMax } = letter;
      const files = await seal(letter.paths, { snapshots, bytesMax, signal });
      await box.send({ type: 'sealed', files: [...files] });
    }
  }
}

async function furnished(
  files: Parameters<typeof furnish>[0],
  options: Parameters<typeof furnish>[1],
): Promise<string | null> {
  try {
    await furnish(files, options);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Ends when nothing has the other end open: every process of the executor is gone. */
async function print(name: 'stdout' | 'stderr', box: Box): Promise<void> {
  const printed: AsyncIterable<Uint8Array> = createReadStream(outputs[name], {
    highWaterMark: readBytes,
  });
  for await (const chunk of printed) {
    await box.send({ type: 'output', name, bytes: Buffer.from(chunk).toString('base64') });
  }
}
