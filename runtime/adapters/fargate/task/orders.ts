import { setTimeout as sleep } from 'node:timers/promises';
import type { BlobStore } from '../../../timeline/blobs.ts';
import type { LetterStream } from '../letter-stream.ts';
import type { FromTask, ToTask } from '../letters.ts';
import { sealGraceMs } from '../limits.ts';
import type { Mailbox } from '../mailbox.ts';
import { furnish } from './inputs.ts';
import type { Keeper } from './keeper.ts';
import { seal } from './seal.ts';

export type TaskBox = Mailbox<FromTask, ToTask>;

type Orders = {
  readonly box: TaskBox;
  readonly keeper: Keeper;
  /** To whoever speaks with the runtime. */
  readonly runtime: LetterStream;
  /** Nothing of the executor is open any more. */
  readonly over: Promise<unknown>;
  readonly snapshots: BlobStore;
  readonly signal: AbortSignal;
};

/** Does what the letters say, in their order, until there are no more. */
export async function obey(letters: AsyncIterable<ToTask>, options: Orders): Promise<void> {
  const { box, keeper, runtime, over, snapshots, signal } = options;
  for await (const letter of letters) {
    if (letter.type === 'stream') await runtime.deliver(letter.bytes);
    else if (letter.type === 'furnish') {
      await box.send({ type: 'furnished', because: await furnished(letter.files, options) });
    } else if (letter.type === 'seal') {
      await Promise.race([over, keeper.full, sleep(sealGraceMs, undefined, { signal })]);
      const { bytesMax } = letter;
      await keeper.unlock(letter.paths);
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
