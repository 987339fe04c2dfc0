import type { Duplex } from 'node:stream';
import type { Clock } from '../runtime/base/clock.ts';
import { Fault } from '../runtime/base/fault.ts';
import type { Json } from '../runtime/base/json.ts';
import { Work } from '../runtime/base/signal.ts';
import { type CallEvent, type CallHost, Calls } from './calls.ts';
import { readFrames } from './incoming.ts';
import { Journal } from './journal.ts';
import { Outgoing } from './outgoing.ts';
import { callsInFlightMax } from './protocol/limits.ts';
import {
  type FromExecutor,
  fromExecutor,
  protocolVersion,
  type Start,
} from './protocol/messages.ts';

export type ServeOptions = {
  readonly host: CallHost;
  readonly clock: Clock;
  /** Ends every call in flight. */
  readonly signal: AbortSignal;
  readonly tell: (event: CallEvent) => void;
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
  readonly journal: Journal;
}

/**
 * Serves one executor on one stream. Every frame is hostile: the harness that writes them shares a
 * process with the program, so nothing said here decides how the execution ended.
 */
export function serveExecutor(stream: Duplex): Executor {
  return new Server(stream);
}

type Call = Exclude<FromExecutor, { type: 'hello' | 'violation' }>;

class Server implements Executor {
  readonly journal = new Journal();
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  readonly #stream: Duplex;
  readonly #out: Outgoing;
  /** Of its program; ends with the stream. */
  #work: Work | undefined;
  readonly #inFlight = new Map<Call, Promise<void>>();
  #state: 'silent' | 'ready' | 'started' = 'silent';
  #calls: Calls | undefined;
  #failure: { readonly cause: unknown } | undefined;
  #greet: () => void = () => undefined;

  constructor(stream: Duplex) {
    this.#stream = stream;
    this.#out = new Outgoing(stream);
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
    const { journal } = this;
    this.#work = new Work(options.signal);
    const { signal } = this.#work;
    this.#calls = new Calls({ ...options, signal, granted, deadlineMs, journal });
    await this.#out.send(start);
  }

  async cancel(): Promise<void> {
    await this.#out.send({ type: 'cancel' });
  }

  async #serve(): Promise<void> {
    try {
      await readFrames(this.#stream, (frame) => this.#take(fromExecutor(frame)));
    } catch (error) {
      // A killed executor resets its stream: an end like any other.
      if (!isReset(error)) this.#fail(error);
    }
    this.#stream.destroy();
    this.#work?.stop('shutdown');
    this.#work?.[Symbol.dispose]();
    await Promise.all(this.#inFlight.values());
    this.#calls?.[Symbol.dispose]();
    if (this.#failure) throw this.#failure.cause;
  }

  /** While too much is in flight nothing is read: the program waits in its own write. */
  #take(message: FromExecutor): Promise<unknown> | undefined {
    if (message.type === 'hello') {
      this.#hello(message.version);
      return undefined;
    }
    if (message.type === 'violation') {
      throw new Fault('EXEC_PROTOCOL', { because: message.because });
    }
    const calls = this.#calls;
    if (calls === undefined) throw new Fault('EXEC_PROTOCOL', { because: 'a call before start' });
    this.#inFlight.set(message, this.#answer(message, calls));
    return this.#inFlight.size < callsInFlightMax
      ? undefined
      : Promise.race(this.#inFlight.values());
  }

  async #answer(message: Call, calls: Calls): Promise<void> {
    try {
      const result = await answerOf(message, calls);
      await this.#out.sendResult(message.id, result, { alone: this.#inFlight.size === 1 });
    } catch (error) {
      this.#fail(error);
    }
    this.#inFlight.delete(message);
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

function endedEarly(): never {
  throw new Fault('EXEC_FAILED', { because: 'the executor ended before it was ready' });
}

function isReset(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'].includes(String(code));
}
