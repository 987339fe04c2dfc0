import { setTimeout as sleep } from 'node:timers/promises';
import { isFolder } from '../../../../supervisor/files/contract.ts';
import type { BlobStore } from '../../../timeline/ports/blobs.ts';
import { createDeferred } from '../queue/deferred.ts';
import type { FromTask, SentMount, ToTask } from '../queue/messages.ts';
import type { QueueStream } from '../queue/queue-stream.ts';
import type { S3Queue } from '../queue/s3-queue.ts';
import { sealGraceMs } from '../settings/limits.ts';
import type { KeeperClient } from './keeper-client.ts';
import { sealFiles } from './seal-files.ts';
import type { OutputSender } from './send-output.ts';
import { mountFile, stageInputs } from './stage-inputs.ts';

export type TaskQueue = S3Queue<FromTask, ToTask>;

type Options = {
  readonly queue: TaskQueue;
  readonly keeper: KeeperClient;
  /** The stream to the runtime. */
  readonly runtime: QueueStream;
  readonly outputs: readonly OutputSender[];
  /** Resolves when the executor has closed its stream and its output. */
  readonly executorEnded: Promise<unknown>;
  readonly snapshots: BlobStore;
  readonly signal: AbortSignal;
};

/** Handles messages in order until there are no more. Mounts run in parallel, since their files may be large. */
export async function handleMessages(
  messages: AsyncIterable<ToTask>,
  options: Options,
): Promise<void> {
  const broken = createDeferred<unknown>();
  const failed = broken.value.then((error) => Promise.reject(error));
  const beside = (work: Promise<void>) => void work.catch(broken.settle);
  await Promise.race([handleInOrder(messages, { ...options, beside }), failed]);
}

async function handleInOrder(
  messages: AsyncIterable<ToTask>,
  { beside, ...options }: Options & { readonly beside: (work: Promise<void>) => void },
): Promise<void> {
  const { queue, runtime } = options;
  for await (const message of messages) {
    if (message.type === 'stream') await runtime.deliver(message.bytes);
    else if (message.type === 'furnish') {
      const because = await failureText(stageInputs(message.files, options));
      await queue.send({ type: 'furnished', because });
    } else if (message.type === 'hand') beside(mountAndReport(message.file, options));
    else if (message.type === 'seal') await sealAll(message, options);
  }
}

async function mountAndReport(file: SentMount, options: Options): Promise<void> {
  const because = await failureText(mountFile(file, options));
  await options.queue.send({ type: 'handed', name: file.name, because });
}

async function sealAll(
  { type: _, ...asked }: ToTask & { type: 'seal' },
  { queue, keeper, outputs, executorEnded, snapshots, signal }: Options,
): Promise<void> {
  await Promise.race([executorEnded, keeper.full, sleep(sealGraceMs, undefined, { signal })]);
  await Promise.all(outputs.map((output) => output.finish()));
  await keeper.unlock(asked.paths.filter((path) => !isFolder(path)));
  const files = await sealFiles(asked, { snapshots, signal });
  await queue.send({ type: 'sealed', files: [...files] });
}

/** Why the work failed, as text for the other side; null if it succeeded. */
async function failureText(work: Promise<void>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
