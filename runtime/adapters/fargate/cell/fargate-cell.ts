import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Cell,
  type Exit,
  type FileRetention,
  type FoundOutput,
  killedExit,
  type MountedFile,
} from '../../../../supervisor/cell/cell.ts';
import { verifyHash } from '../../../base/bytes/verify-hash.ts';
import { Fault } from '../../../base/fault.ts';
import { untilAborted } from '../../../base/signal.ts';
import type { ExecRequest } from '../../../tools/ports/sandbox.ts';
import { createDeferred, type Deferred } from '../queue/deferred.ts';
import type { FromTask, SealedFile, StagedInputFile } from '../queue/messages.ts';
import { QueueStream } from '../queue/queue-stream.ts';
import { snapshotOf } from '../queue/snapshots.ts';
import { pollFastMs, pollSlowMs, sealMsMax } from '../settings/limits.ts';
import type { CellDeps } from './cell-deps.ts';
import {
  assertRequested,
  emptyCollectSpec,
  missingAt,
  toCollectSpec,
  toSealRequest,
  unchangedInput,
} from './collect-spec.ts';
import { quotaExit, toExit } from './exits.ts';

const mebibyte = 1024 * 1024;

type Waits = { readonly signal: AbortSignal };

/**
 * An executor and its supervisor in a Fargate task. One container of a task cannot be killed alone,
 * so killing a program first seals the files it has left, then stops the task.
 */
export class FargateCell implements Cell {
  readonly stream: QueueStream;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<Exit>;
  readonly memory = 'kernel';
  readonly #deps: CellDeps;
  readonly #output = { stdout: new QueueStream(ignoreWrite), stderr: new QueueStream(ignoreWrite) };
  readonly #leftOut = { stdout: 0, stderr: 0 };
  readonly #streams: readonly QueueStream[];
  readonly #executorEnded = createDeferred<void>();
  readonly #killed = createDeferred<void>();
  #fullPath: string | undefined;
  #furnished: Deferred<string | null> = createDeferred();
  /** File mounts in progress, by name. */
  readonly #mounts = new Map<string, Deferred<string | null>>();
  #collectSpec = emptyCollectSpec;
  #sealed: Deferred<readonly SealedFile[] | undefined> | undefined;
  #ending: Promise<void> | undefined;

  constructor(deps: CellDeps) {
    this.#deps = deps;
    this.stream = new QueueStream((bytes) => deps.queue.send({ type: 'stream', bytes }));
    this.stream.on('error', () => undefined);
    this.stdout = this.#output.stdout;
    this.stderr = this.#output.stderr;
    this.#streams = [this.stream, this.#output.stdout, this.#output.stderr];
    this.#handleMessages().catch((error: unknown) => {
      this.#markLost(error);
      this.stream.destroy(toError(error));
    });
    this.exited = this.#exit();
  }

  omittedChars(stream: 'stdout' | 'stderr'): number {
    return this.#leftOut[stream];
  }

  async settle(): Promise<void> {
    // The task has its limits and files from the start.
  }

  async stageInputs(request: ExecRequest, { signal }: Waits): Promise<void> {
    const { tenant, inputs } = request;
    this.#collectSpec = toCollectSpec(request);
    if (inputs.length === 0) return;
    const files: StagedInputFile[] = [];
    for (const { filepath, writable, blob } of inputs) {
      await this.#upload(blob, { tenant, signal });
      files.push({ filepath, writable, ...blob });
    }
    await this.#deps.queue.send({ type: 'furnish', files });
    assertStaged(await this.#furnished.value);
  }

  async mountFile({ name, tenant, blob }: MountedFile, { signal }: Waits): Promise<void> {
    const put = createDeferred<string | null>();
    this.#mounts.set(name, put);
    try {
      await this.#upload(blob, { tenant, signal });
      await this.#deps.queue.send({ type: 'hand', file: { name, ...blob } });
      assertStaged(await untilAborted(put.value, signal));
    } finally {
      this.#mounts.delete(name);
    }
  }

  kill(): void {
    // From now on delivery does not wait for readers.
    for (const stream of this.#streams) stream.ignoreBackpressure();
    this.#ending ??= this.#end();
  }

  async collect(
    paths: readonly string[],
    {
      keep,
      signal,
      found,
    }: { keep: FileRetention; signal: AbortSignal; found: Map<string, FoundOutput> },
  ): Promise<void> {
    const files = await this.#seal(paths);
    if (files === undefined) throw new Fault('EXEC_FAILED', { because: 'the task is lost' });
    for (const file of files) {
      assertRequested(file.path, paths);
      found.set(file.path, await this.#keepFile(file, { keep, signal }));
    }
    for (const [path, missing] of missingAt(paths)) if (!found.has(path)) found.set(path, missing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.#ending;
    this.stream.destroy();
    await this.#deps.scope[Symbol.asyncDispose]();
  }

  async #keepFile(
    file: SealedFile,
    { keep, signal }: { keep: FileRetention; signal: AbortSignal },
  ): Promise<FoundOutput> {
    const bytesMax = this.#deps.fileMb * mebibyte;
    if (file.kind === 'refused') return { kind: 'refused', code: file.code };
    if (file.kind === 'unasked') return { kind: 'unasked', size: file.size };
    if (file.size > bytesMax) return { kind: 'refused', code: 'file_too_large' };
    const known = unchangedInput(file, this.#collectSpec);
    if (known) return { kind: 'file', blob: known };
    const { stream } = await this.#deps.snapshots.open(snapshotOf.outputs, file.hash, { signal });
    return { kind: 'file', blob: await keep.put(file, verifyHash(stream, file)) };
  }

  async #upload(
    blob: MountedFile['blob'],
    { tenant, signal }: Waits & { tenant: string },
  ): Promise<void> {
    const { blobs, snapshots } = this.#deps;
    const { stream } = await blobs.open(tenant, blob.hash, { signal });
    await snapshots.put(snapshotOf.inputs, verifyHash(stream, blob), { signal });
  }

  /** The files that the program has left at these paths. Requested once, since they no longer change. Undefined if the task is lost. */
  async #seal(paths: readonly string[]): Promise<readonly SealedFile[] | undefined> {
    if (this.#sealed === undefined) {
      this.#sealed = createDeferred();
      const bytesMax = this.#deps.fileMb * mebibyte;
      const order = { type: 'seal', ...toSealRequest(this.#collectSpec, paths), bytesMax } as const;
      const asked = this.#deps.queue.send(order);
      asked.catch((error: unknown) => this.#markLost(error));
      const timer = setTimeout(() => this.#markLost('sealing took too long'), sealMsMax);
      void this.#sealed.value.then(() => clearTimeout(timer));
    }
    return this.#sealed.value;
  }

  /** Gives the task up: no more messages are expected from it. */
  #markLost(because: unknown): void {
    this.#sealed ??= createDeferred();
    if (this.#sealed.settle(undefined)) this.#deps.log.warn('task lost', { because });
  }

  async #end(): Promise<void> {
    const { log, stop } = this.#deps;
    try {
      const { paths } = this.#collectSpec;
      if (paths.length > 0 || !this.#executorEnded.settled) await this.#seal(paths);
      await stop('the execution is over');
    } catch (error) {
      log.error('task not stopped', { error });
    }
    this.#killed.settle();
  }

  async #handleMessages(): Promise<void> {
    for await (const message of this.#deps.messages) await this.#handle(message);
  }

  /** Resolves when the next message may be handled. */
  async #handle(message: FromTask): Promise<void> {
    switch (message.type) {
      case 'here':
        return;
      case 'stream':
        return this.stream.deliver(message.bytes);
      case 'output':
        this.#leftOut[message.name] += message.left_out ?? 0;
        return this.#output[message.name].deliver(message.bytes);
      case 'furnished':
        this.#furnished.settle(message.because);
        return;
      case 'handed':
        this.#mounts.get(message.name)?.settle(message.because);
        return;
      case 'gone':
        this.#executorEnded.settle();
        return;
      case 'full':
        this.#fullPath = message.place;
        this.kill();
        return;
      case 'sealed':
        this.#sealed?.settle(message.files);
    }
  }

  async #exit(): Promise<Exit> {
    const { work, log } = this.#deps;
    try {
      return await Promise.race([this.#watch(), this.#stoppedExit()]);
    } catch (error) {
      if (!work.signal.aborted) log.warn('executor lost', { error });
      return { ...killedExit, lost: true };
    } finally {
      for (const stream of this.#streams) stream.finish();
      this.#furnished.settle('the executor ended');
    }
  }

  /** Only the service knows how the executor ended; the supervisor may report earlier that it has ended. */
  async #watch(): Promise<Exit> {
    const { signal } = this.#deps.work;
    for (;;) {
      const early = this.#executorEnded.settled;
      const exit = await this.#poll(early);
      if (exit !== undefined) return exit;
      const waits = sleep(early ? pollFastMs : pollSlowMs, undefined, { signal });
      await (early ? waits : Promise.race([waits, this.#executorEnded.value]));
    }
  }

  /** Undefined: the executor is running, or its output may still be on the way. */
  async #poll(early: boolean): Promise<Exit | undefined> {
    const { describe, work } = this.#deps;
    const seen = await describe(work.signal);
    // From here on the service only reports the stop that we requested.
    if (this.#ending !== undefined) return this.#stoppedExit();
    if (seen === undefined || seen.stopped) return this.#lostExit(seen?.because);
    return seen.executorEnded && early ? toExit(seen) : undefined;
  }

  async #stoppedExit(): Promise<Exit> {
    await this.#killed.value;
    const quota = this.#deps.quotas.find(({ path }) => path === this.#fullPath);
    return quota ? quotaExit(quota) : killedExit;
  }

  /** The task ended before its supervisor could report. */
  #lostExit(because = 'the service no longer knows the task'): Exit {
    this.#markLost(because);
    return { ...killedExit, lost: true };
  }
}

/** `because` comes from the task: why a file could not be staged; null if it was. */
function assertStaged(because: string | null): void {
  if (because !== null) throw new Fault('EXEC_FAILED', { because });
}

/** The output streams of a program are read-only on our side. */
const ignoreWrite = async () => undefined;

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
