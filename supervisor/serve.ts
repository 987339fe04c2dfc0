import type { Duplex } from 'node:stream';
import type { Clock } from '../runtime/base/clock.ts';
import { Fault } from '../runtime/base/fault.ts';
import type { Json } from '../runtime/base/json.ts';
import { Work } from '../runtime/base/signal.ts';
import { type CallEvent, type CallHost, Calls } from './calls.ts';
import { CallsInFlight } from './in-flight.ts';
import { readFrames } from './incoming.ts';
import { CallRegistry } from './journal.ts';
import { isLongFrame, outlineInSlices } from './long-frame.ts';
import { FrameWriter } from './outgoing.ts';
import { type ExecutorMessage, messageOf, readMessage } from './protocol/executor-message.ts';
import {
  fetchHeldBytes,
  frameCostBytes,
  inputNamesMax,
  inputValuesMax,
  nameCostBytes,
  sentBytesAtOnce,
  sentBytesPerSecond,
  valueCostBytes,
} from './protocol/limits.ts';
import { protocolVersion, type Start } from './protocol/messages.ts';
import { TokenBucket } from './token-bucket.ts';

export type ServeOptions = {
  readonly host: CallHost;
  readonly clock: Clock;
  /** Ends every call in flight. */
  readonly signal: AbortSignal;
  readonly emit: (event: CallEvent) => void;
};

/** One executor as its supervisor sees it. */
export interface Executor {
  /** The executor said hello in our version. Rejects with `EXEC_PROTOCOL`, or `EXEC_FAILED` if the stream ended before. */
  readonly ready: Promise<void>;
  /** Once, after `ready`: sends the program; from now on it may call what is granted, until the deadline. */
  start(start: Start, options: ServeOptions): Promise<void>;
  /** Ask the program to stop by itself. */
  cancel(): Promise<void>;
  /** The stream is over and no call is in flight. Rejects with `EXEC_PROTOCOL`, or what the host threw. */
  readonly ended: Promise<void>;
  readonly callRegistry: CallRegistry;
}

/**
 * Serves one executor on one stream. Every frame is hostile: the harness that writes them shares a
 * process with the program, so nothing said here decides how the execution ended.
 */
export function serveExecutor(stream: Duplex): Executor {
  return new ExecutorServer(stream);
}

type Call = Exclude<ExecutorMessage, { type: 'hello' | 'violation' }>;

/** One program that was started. */
type Program = {
  readonly calls: Calls;
  readonly clock: Clock;
  /** Ends with the stream. */
  readonly signal: AbortSignal;
};

class ExecutorServer implements Executor {
  readonly callRegistry = new CallRegistry();
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  readonly #stream: Duplex;
  readonly #out: FrameWriter;
  /** Of its program; ends with the stream. */
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
    // Both are also told by the process behind the stream; whoever waits for them still hears.
    this.ready.catch(() => undefined);
    this.ended.catch(() => undefined);
  }

  async start(start: Start, options: ServeOptions): Promise<void> {
    if (this.#state !== 'ready') throw new Fault('EXEC_PROTOCOL', { because: 'start out of turn' });
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
      // A killed executor resets its stream: an end like any other.
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

  /** While too much is in flight, or was sent too quickly, nothing is read: the program waits in its own write. */
  #take(message: ExecutorMessage, frame: Buffer): Promise<unknown> | undefined {
    if (message.type === 'hello') {
      this.#hello(message.version);
      return undefined;
    }
    if (message.type === 'violation') {
      throw new Fault('EXEC_PROTOCOL', { because: message.because });
    }
    const program = this.#program;
    if (program === undefined) throw new Fault('EXEC_PROTOCOL', { because: 'a call before start' });
    this.#perform(message, { bytes: frame.length, program });
    const waitMs = this.#budget.take(costOf(message, frame), program.clock.monotonic());
    if (waitMs === 0) return this.#inFlight.room();
    const pause = program.clock.sleep(waitMs, { signal: program.signal });
    return pause.then(
      () => this.#inFlight.room(),
      () => undefined,
    );
  }

  /** Of a call that is being performed only its id is kept here: its input is the host's. */
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

/** As much as it takes to read it: parsing costs more than bytes. */
function costOf(message: Call, frame: Buffer): number {
  const { values, names } = sizeOf(message);
  return frame.length + frameCostBytes + values * valueCostBytes + names * nameCostBytes;
}

/** Memory that the call takes until its result is taken. */
function heldBytes(message: Call, bytes: number): number {
  if (message.type !== 'tool_call') return fetchHeldBytes;
  return bytes + sizeOf(message).values * valueCostBytes;
}

/** Of what may be parsed: the rest is only passed over. */
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
