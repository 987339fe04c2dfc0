import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Cell,
  type Exit,
  type FileRetention,
  type Found,
  killedExit,
  type MountedFile,
} from '../../../../supervisor/cell/cell.ts';
import { Fault } from '../../../base/fault.ts';
import { untilAborted } from '../../../base/signal.ts';
import { verified } from '../../../base/verify-hash.ts';
import type { ExecRequest } from '../../../tools/ports/sandbox.ts';
import { type Once, once } from '../queue/deferred.ts';
import type { FromTask, SealedFile, SentFile } from '../queue/messages.ts';
import { LetterStream } from '../queue/queue-stream.ts';
import { snapshotOf } from '../queue/snapshots.ts';
import { lookSeldomMs, lookSoonMs, sealMsMax } from '../settings/limits.ts';
import type { Made } from './cell-deps.ts';
import { asGiven, assertSought, nothing, soughtAt, toOrder, wantedOf } from './collect-spec.ts';
import { filledExit, toExit } from './exits.ts';

const mebibyte = 1024 * 1024;

type Waits = { readonly signal: AbortSignal };

/**
 * An executor and its supervisor in a task elsewhere. One container of a task cannot be killed alone:
 * what a program that must end has left is sealed first, then the task is stopped.
 */
export class FargateCell implements Cell {
  readonly stream: LetterStream;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<Exit>;
  readonly memory = 'kernel';
  readonly #made: Made;
  readonly #output = { stdout: new LetterStream(unsent), stderr: new LetterStream(unsent) };
  readonly #leftOut = { stdout: 0, stderr: 0 };
  readonly #streams: readonly LetterStream[];
  readonly #gone = once<void>();
  readonly #killed = once<void>();
  #full: string | undefined;
  #furnished: Once<string | null> = once();
  /** Files on their way, by name. */
  readonly #handed = new Map<string, Once<string | null>>();
  #wanted = nothing;
  #sealed: Once<readonly SealedFile[] | undefined> | undefined;
  #ending: Promise<void> | undefined;

  constructor(made: Made) {
    this.#made = made;
    this.stream = new LetterStream((bytes) => made.mailbox.send({ type: 'stream', bytes }));
    this.stream.on('error', () => undefined);
    this.stdout = this.#output.stdout;
    this.stderr = this.#output.stderr;
    this.#streams = [this.stream, this.#output.stdout, this.#output.stderr];
    this.#follow().catch((error: unknown) => {
      this.#unreachable(error);
      this.stream.destroy(toError(error));
    });
    this.exited = this.#exit();
  }

  omittedChars(stream: 'stdout' | 'stderr'): number {
    return this.#leftOut[stream];
  }

  async settle(): Promise<void> {
    // Limits and files are the task's from its first moment.
  }

  async stageInputs(request: ExecRequest, { signal }: Waits): Promise<void> {
    const { tenant, inputs } = request;
    this.#wanted = wantedOf(request);
    if (inputs.length === 0) return;
    const files: SentFile[] = [];
    for (const { filepath, writable, blob } of inputs) {
      await this.#upload(blob, { tenant, signal });
      files.push({ filepath, writable, ...blob });
    }
    await this.#made.mailbox.send({ type: 'furnish', files });
    assertPut(await this.#furnished.value);
  }

  async mountFile({ name, tenant, blob }: MountedFile, { signal }: Waits): Promise<void> {
    const put = once<string | null>();
    this.#handed.set(name, put);
    try {
      await this.#upload(blob, { tenant, signal });
      await this.#made.mailbox.send({ type: 'hand', file: { name, ...blob } });
      assertPut(await untilAborted(put.value, signal));
    } finally {
      this.#handed.delete(name);
    }
  }

  kill(): void {
    // From now on a letter waits for nobody.
    for (const stream of this.#streams) stream.hurry();
    this.#ending ??= this.#end();
  }

  async collect(
    paths: readonly string[],
    {
      keep,
      signal,
      found,
    }: { keep: FileRetention; signal: AbortSignal; found: Map<string, Found> },
  ): Promise<void> {
    const files = await this.#seal(paths);
    if (files === undefined) throw new Fault('EXEC_FAILED', { because: 'the task is lost' });
    for (const file of files) {
      assertSought(file.path, paths);
      found.set(file.path, await this.#taken(file, { keep, signal }));
    }
    for (const [path, missing] of soughtAt(paths)) if (!found.has(path)) found.set(path, missing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.#ending;
    this.stream.destroy();
    await this.#made.scope[Symbol.asyncDispose]();
  }

  async #taken(
    file: SealedFile,
    { keep, signal }: { keep: FileRetention; signal: AbortSignal },
  ): Promise<Found> {
    const bytesMax = this.#made.fileMb * mebibyte;
    if (file.kind === 'refused') return { kind: 'refused', code: file.code };
    if (file.kind === 'unasked') return { kind: 'unasked', size: file.size };
    if (file.size > bytesMax) return { kind: 'refused', code: 'file_too_large' };
    const known = asGiven(file, this.#wanted);
    if (known) return { kind: 'file', blob: known };
    const { stream } = await this.#made.snapshots.open(snapshotOf.outputs, file.hash, { signal });
    return { kind: 'file', blob: await keep.put(file, verified(stream, file)) };
  }

  async #upload(
    blob: MountedFile['blob'],
    { tenant, signal }: Waits & { tenant: string },
  ): Promise<void> {
    const { blobs, snapshots } = this.#made;
    const { stream } = await blobs.open(tenant, blob.hash, { signal });
    await snapshots.put(snapshotOf.inputs, verified(stream, blob), { signal });
  }

  /** What the program has left at these paths; asked for once, since nothing changes any more. Undefined if the task is gone. */
  async #seal(paths: readonly string[]): Promise<readonly SealedFile[] | undefined> {
    if (this.#sealed === undefined) {
      this.#sealed = once();
      const bytesMax = this.#made.fileMb * mebibyte;
      const order = { type: 'seal', ...toOrder(this.#wanted, paths), bytesMax } as const;
      const asked = this.#made.mailbox.send(order);
      asked.catch((error: unknown) => this.#unreachable(error));
      const timer = setTimeout(() => this.#unreachable('sealing took too long'), sealMsMax);
      void this.#sealed.value.then(() => clearTimeout(timer));
    }
    return this.#sealed.value;
  }

  /** Nothing more comes from the task. */
  #unreachable(because: unknown): void {
    this.#sealed ??= once();
    if (this.#sealed.settle(undefined)) this.#made.log.warn('task lost', { because });
  }

  async #end(): Promise<void> {
    const { log, stop } = this.#made;
    try {
      const { paths } = this.#wanted;
      if (paths.length > 0 || !this.#gone.settled) await this.#seal(paths);
      await stop('the execution is over');
    } catch (error) {
      log.error('task not stopped', { error });
    }
    this.#killed.settle();
  }

  async #follow(): Promise<void> {
    for await (const letter of this.#made.letters) await this.#take(letter);
  }

  /** Resolves when the next letter may come. */
  async #take(letter: FromTask): Promise<void> {
    switch (letter.type) {
      case 'here':
        return;
      case 'stream':
        return this.stream.deliver(letter.bytes);
      case 'output':
        this.#leftOut[letter.name] += letter.left_out ?? 0;
        return this.#output[letter.name].deliver(letter.bytes);
      case 'furnished':
        this.#furnished.settle(letter.because);
        return;
      case 'handed':
        this.#handed.get(letter.name)?.settle(letter.because);
        return;
      case 'gone':
        this.#gone.settle();
        return;
      case 'full':
        this.#full = letter.place;
        this.kill();
        return;
      case 'sealed':
        this.#sealed?.settle(letter.files);
    }
  }

  async #exit(): Promise<Exit> {
    const { work, log } = this.#made;
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

  /** The service says how the executor ended; that it ended, the supervisor may say earlier. */
  async #watch(): Promise<Exit> {
    const { signal } = this.#made.work;
    for (;;) {
      const early = this.#gone.settled;
      const exit = await this.#look(early);
      if (exit !== undefined) return exit;
      const waits = sleep(early ? lookSoonMs : lookSeldomMs, undefined, { signal });
      await (early ? waits : Promise.race([waits, this.#gone.value]));
    }
  }

  /** Undefined: it runs, or what it has printed may still be on its way. */
  async #look(early: boolean): Promise<Exit | undefined> {
    const { look, work } = this.#made;
    const seen = await look(work.signal);
    // From then on it sees what we do.
    if (this.#ending !== undefined) return this.#stoppedExit();
    if (seen === undefined || seen.gone) return this.#lost(seen?.because);
    return seen.over && early ? toExit(seen) : undefined;
  }

  async #stoppedExit(): Promise<Exit> {
    await this.#killed.value;
    const room = this.#made.rooms.find(({ path }) => path === this.#full);
    return room ? filledExit(room) : killedExit;
  }

  /** The task ended before its supervisor could say how. */
  #lost(because = 'the service has forgotten the task'): Exit {
    this.#unreachable(because);
    return { ...killedExit, lost: true };
  }
}

/** Said by the task: why a file is not where it should be; null if it is. */
function assertPut(because: string | null): void {
  if (because !== null) throw new Fault('EXEC_FAILED', { because });
}

/** Nobody writes to what a program prints. */
const unsent = async () => undefined;

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
