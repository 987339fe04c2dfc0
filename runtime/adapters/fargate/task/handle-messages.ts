import { setTimeout as sleep } from 'node:timers/promises';
import { isFolder } from '../../../../supervisor/files/contract.ts';
import type { BlobStore } from '../../../timeline/ports/blobs.ts';
import { once } from '../queue/deferred.ts';
import type { FromTask, SentHanded, ToTask } from '../queue/messages.ts';
import type { LetterStream } from '../queue/queue-stream.ts';
import type { Mailbox } from '../queue/s3-queue.ts';
import { sealGraceMs } from '../settings/limits.ts';
import type { Keeper } from './keeper-client.ts';
import { seal } from './seal-files.ts';
import type { Printed } from './send-output.ts';
import { furnish, hand } from './stage-inputs.ts';

export type TaskBox = Mailbox<FromTask, ToTask>;

type Orders = {
  readonly box: TaskBox;
  readonly keeper: Keeper;
  /** To whoever speaks with the runtime. */
  readonly runtime: LetterStream;
  readonly outputs: readonly Printed[];
  /** Nothing of the executor is open any more. */
  readonly over: Promise<unknown>;
  readonly snapshots: BlobStore;
  readonly signal: AbortSignal;
};

/** Does what the letters say, in their order, until there are no more. Files are handed out beside that: they may be large. */
export async function obey(letters: AsyncIterable<ToTask>, options: Orders): Promise<void> {
  const broken = once<unknown>();
  const failed = broken.value.then((error) => Promise.reject(error));
  const beside = (work: Promise<void>) => void work.catch(broken.settle);
  await Promise.race([inOrder(letters, { ...options, beside }), failed]);
}

async function inOrder(
  letters: AsyncIterable<ToTask>,
  { beside, ...options }: Orders & { readonly beside: (work: Promise<void>) => void },
): Promise<void> {
  const { box, runtime } = options;
  for await (const letter of letters) {
    if (letter.type === 'stream') await runtime.deliver(letter.bytes);
    else if (letter.type === 'furnish') {
      const because = await failure(furnish(letter.files, options));
      await box.send({ type: 'furnished', because });
    } else if (letter.type === 'hand') beside(handOver(letter.file, options));
    else if (letter.type === 'seal') await sealAll(letter, options);
  }
}

async function handOver(file: SentHanded, options: Orders): Promise<void> {
  const because = await failure(hand(file, options));
  await options.box.send({ type: 'handed', name: file.name, because });
}

async function sealAll(
  { type: _, ...asked }: ToTask & { type: 'seal' },
  { box, keeper, outputs, over, snapshots, signal }: Orders,
): Promise<void> {
  await Promise.race([over, keeper.full, sleep(sealGraceMs, undefined, { signal })]);
  await Promise.all(outputs.map((output) => output.finish()));
  await keeper.unlock(asked.paths.filter((path) => !isFolder(path)));
  const files = await seal(asked, { snapshots, signal });
  await box.send({ type: 'sealed', files: [...files] });
}

/** In words for the other side; null: there is none. */
async function failure(work: Promise<void>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
