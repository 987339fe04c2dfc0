import type { Duplex } from 'node:stream';
import type { Clock } from '../../runtime/base/clock.ts';
import { Fault } from '../../runtime/base/fault.ts';
import type { Json } from '../../runtime/base/json.ts';
import { Work } from '../../runtime/base/signal.ts';
import { type ExecutorMessage, messageOf, readMessage } from '../protocol/executor-message.ts';
import {
  fetchHeldBytes,
  frameCostBytes,
  inputNamesMax,
  inputValuesMax,
  nameCostBytes,
  sentBytesAtOnce,
  sentBytesPerSecond,
  valueCostBytes,
} from '../protocol/limits.ts';
import { protocolVersion, type Start } from '../protocol/messages.ts';
import { CallRegistry } from './call-registry.ts';
import { type CallEvent, type CallHost, Calls } from './calls.ts';
import { readFrames } from './frame-reader.ts';
import { FrameWriter } from './frame-writer.ts';
import { CallsInFlight } from './in-flight.ts';
import { isLongFrame, outlineInSlices } from './long-frame.ts';
import { TokenBucket } from './token-bucket.ts';

export type ServeOptions = {
  readonly host: CallHost;
  readonly clock: Clock;
  /** Aborts every call in flight. */
  readonly signal: AbortSignal;
  readonly emit: (event: CallEvent) => void;
};

/** An executor as its supervisor sees it. */
export interface Executor {
  /** The executor has sent a hello with our version. Rejects with `EXEC_PROTOCOL`, or with `EXEC_FAILED` if the stream ended before. */
  readonly ready: Promise<void>;
  /** Called once after `ready`: sends the program, which can then call its granted tools until the deadline. */
  start(start: Start, options: ServeOptions): Promise<void>;
  /** Asks the program to stop. */
  cancel(): Promise<void>;
  /** The stream has ended and no call is in flight. Rejects with `EXEC_PROTOCOL`, or with the error that the host threw. */
  readonly ended: Promise<void>;
  readonly callRegistry: CallRegistry;
}

/**
 * Serves one executor on one stream. Every frame is hostile: the harness that writes the frames shares a
 * process with the program, so no frame decides how the execution ended.
 */
export function serveExecutor(stream: Duplex): Executor {
  return new ExecutorServer(stream);
}

type Call = Exclude<ExecutorMessage, { type: 'hello' | 'violation' }>;

/** A started program. */
type Program = {
  readonly calls: Calls;
  readonly clock: Clock;
  /** Aborts when the stream ends. */
  readonly signal: AbortSignal;
};

class ExecutorServer implements Executor {
  readonly callRegistry = new CallRegistry();
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  readonly #stream: Duplex;
  readonly #out: FrameWriter;
  /** Work of the program; stops when the stream ends. */
  #work: Work | undefined;
  readonly #inFlight: CallsInFlight;
  readonly #budget = new TokenBucket({ capacity: sentBytesAtOnce, perSecond: sentBytesPerSecond });
  #state: 'silent' | 'ready' | 'started' = 'silent';
  #program: Program | undefined;
  #failure: { readonly cause: unknown } | undefined;
  #greet: () => void = () => undefined;

  constructor(stream: Duplex) {
    this.#stream = stream;
    this.#out = new FrameWriter(stream);
    this.#inFlight = new CallsInFlight(() => stream.writableLength);
    const greeted = new Promise<void>((resolve) => {
      this.#greet = resolve;
    });
    this.ended = this.#serve();
    this.ready = Promise.race([greeted, this.ended.then(endedEarly)]);
    // The process behind the stream also reports both errors; those who await these promises still get them.
    this.ready.catch(() => undefined);
    this.ended.catch(() => undefined);
  }

  async start(start: Start, options: ServeOptions): Promise<void> {
    if (this.#state !== 'ready')
      throw new Fault('EXEC_PROTOCOL', { because: 'start before hello or after start' });
    this.#state = 'started';
    const deadlineMs = options.clock.monotonic() + start.timeoutMs;
    const granted = new Set(start.granted);
    const { callRegistry } = this;
    this.#work = new Work(options.signal);
    const { signal } = this.#work;
    const calls = new Calls({ ...options, signal, granted, deadlineMs, callRegistry });
    this.#program = { calls, clock: options.clock, signal };
    await this.#out.send(start);
  }

  async cancel(): Promise<void> {
    await this.#out.send({ type: 'cancel' });
  }

  async #serve(): Promise<void> {
    try {
      await readFrames(this.#stream, (frame) => this.#receive(frame));
    } catch (error) {
      // A killed executor resets its stream: that is a normal end.
      if (!isReset(error)) this.#fail(error);
    }
    this.#stream.destroy();
    this.#work?.stop('shutdown');
    this.#work?.[Symbol.dispose]();
    await this.#inFlight.ended();
    this.#program?.calls[Symbol.dispose]();
    if (this.#failure) throw this.#failure.cause;
  }

  #receive(frame: Buffer): Promise<unknown> | undefined {
    return isLongFrame(frame) ? this.#receiveLong(frame) : this.#take(readMessage(frame), frame);
  }

  async #receiveLong(frame: Buffer): Promise<void> {
    const outline = await outlineInSlices(frame);
    if (!this.#stream.destroyed) await this.#take(messageOf(frame, outline), frame);
  }

  /** Stops reading while too much is in flight or was sent too quickly: the program then blocks in its own write. */
  #take(message: ExecutorMessage, frame: Buffer): Promise<unknown> | undefined {
    if (message.type === 'hello') {
      this.#hello(message.version);
      return undefined;
    }
    if (message.type === 'violation') {
      throw new Fault('EXEC_PROTOCOL', { because: message.because });
    }
    const program = this.#program;
    if (program === undefined) throw new Fault('EXEC_PROTOCOL', { because: 'call before start' });
    this.#perform(message, { bytes: frame.length, program });
    const waitMs = this.#budget.take(costOf(message, frame), program.clock.monotonic());
    if (waitMs === 0) return this.#inFlight.room();
    const pause = program.clock.sleep(waitMs, { signal: program.signal });
    return pause.then(
      () => this.#inFlight.room(),
      () => undefined,
    );
  }

  /** Keeps only the id of a running call here: the host owns its input. */
  #perform(message: Call, { bytes, program }: { bytes: number; program: Program }): void {
    const { id } = message;
    const done = answerOf(message, program.calls)
      .then((result) => this.#out.sendResult(id, result, { alone: this.#inFlight.count === 1 }))
      .catch((error: unknown) => this.#fail(error));
    this.#inFlight.add(done, heldBytes(message, bytes));
  }

  #hello(version: number): void {
    if (this.#state !== 'silent' || version !== protocolVersion) {
      throw new Fault('EXEC_PROTOCOL', { because: 'unexpected hello', version });
    }
    this.#state = 'ready';
    this.#greet();
  }

  #fail(cause: unknown): void {
    this.#failure ??= { cause };
    this.#stream.destroy();
  }
}

function answerOf(message: Call, calls: Calls): Promise<Json> {
  if (message.type === 'tool_call') return calls.tool(message);
  return message.type === 'fetch_file' ? calls.file(message) : calls.context(message);
}

/** Cost of reading a message: parsing costs more than its bytes. */
function costOf(message: Call, frame: Buffer): number {
  const { values, names } = sizeOf(message);
  return frame.length + frameCostBytes + values * valueCostBytes + names * nameCostBytes;
}

/** Memory that a call takes until its result is read. */
function heldBytes(message: Call, bytes: number): number {
  if (message.type !== 'tool_call') return fetchHeldBytes;
  return bytes + sizeOf(message).values * valueCostBytes;
}

/** Counts up to the limits of what is parsed: the rest is only skipped. */
function sizeOf(message: Call): { readonly values: number; readonly names: number } {
  if (message.type !== 'tool_call') return { values: 0, names: 0 };
  const { values, names } = message.input;
  return { values: Math.min(values, inputValuesMax), names: Math.min(names, inputNamesMax) };
}

function endedEarly(): never {
  throw new Fault('EXEC_FAILED', { because: 'the executor ended before it was ready' });
}

function isReset(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'].includes(String(code));
}
