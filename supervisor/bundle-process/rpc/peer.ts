import type { Duplex } from 'node:stream';
import { z } from 'zod';
import { Fault } from '../../../runtime/base/fault.ts';
import { Refusal } from '../../../runtime/base/refusal.ts';
import { encodeFrame, FrameDecoder } from '../../protocol/frame.ts';
import { backlogBytesMax, messageCharsMax, partCharsMax, requestsInFlightMax } from './limits.ts';
import { fromWireError, toWireError, WireError } from './wire-errors.ts';

/** A method that one side serves for the other, with the schemas of its body and answer. */
export type Method<Body, Answer> = {
  readonly name: string;
  readonly body: z.ZodType<Body>;
  readonly answer: z.ZodType<Answer>;
};

export function method<Body, Answer>(
  name: string,
  body: z.ZodType<Body>,
  answer: z.ZodType<Answer>,
): Method<Body, Answer> {
  return { name, body, answer };
}

type Handler = (body: unknown, peer: Peer) => Promise<unknown>;
export type Handlers = ReadonlyMap<string, Handler>;

/** An entry of `Handlers`. */
export function on<Body, Answer>(
  { name, body }: Method<Body, Answer>,
  act: (body: Body, peer: Peer) => Answer | Promise<Answer>,
): readonly [string, Handler] {
  return [name, async (given, peer) => act(parseWith(body, given), peer)];
}

const Id = z.int().positive();
const Name = z.string().max(64);
const Message = z.union([
  z.strictObject({ id: Id.exactOptional(), do: Name, with: z.unknown() }),
  z.strictObject({ re: Id, ok: z.unknown() }),
  z.strictObject({ re: Id, error: WireError }),
]);
type Message = z.infer<typeof Message>;
type RpcRequest = Extract<Message, { do: string }>;

type PendingRequest = { settle(value: unknown): void; reject(error: Error): void };

/**
 * One of two processes that call each other's methods over one stream of frames. A message is a JSON object in its own
 * frame. A long message is sent as several frames with parts of its JSON text, followed by `null`.
 */
export class Peer {
  readonly #stream: Duplex;
  readonly #handlers: Handlers;
  readonly #waiting = new Map<number, PendingRequest>();
  #lastId = 0;
  #serving = 0;
  #parts: string[] = [];
  #partsChars = 0;
  #lost: Error | undefined;

  constructor(stream: Duplex, handlers: Handlers) {
    this.#stream = stream;
    this.#handlers = handlers;
    stream.on('error', () => undefined);
  }

  /**
   * Serves the other side until it closes the stream. Fault `EXEC_PROTOCOL` for an invalid message. `patient`: stops reading
   * while the other side does not read its messages; only one of the two sides may do this.
   */
  async follow({ patient }: { patient: boolean }): Promise<void> {
    const decoder = new FrameDecoder();
    for await (const chunk of this.#stream) {
      for (const frame of decoder.push(chunk)) this.#take(frame);
      if (patient && this.#isFull()) await this.#roomAgain();
    }
  }

  /** Rejects with the error that the other side threw, or with the error passed to `end`. Refusal `too_large`. */
  async ask<Body, Answer>(order: Method<Body, Answer>, body: Body): Promise<Answer> {
    if (this.#lost) throw this.#lost;
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise<unknown>((settle, reject) => {
      this.#waiting.set(id, { settle, reject });
    });
    try {
      this.#send({ id, do: order.name, with: body });
      return parseWith(order.answer, await answer);
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** False: the notification was dropped because the other side does not read. */
  notify<Body>({ name }: Method<Body, unknown>, body: Body): boolean {
    if (this.#lost || this.#isFull()) return false;
    this.#send({ do: name, with: body });
    return true;
  }

  /** Rejects all pending and later requests. */
  end(error: Error): void {
    this.#lost ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#lost);
  }

  #take(frame: unknown): void {
    if (typeof frame === 'string') {
      this.#parts.push(frame);
      this.#partsChars += frame.length;
      if (this.#partsChars > messageCharsMax) throw broken('a message is too long');
    } else if (frame === null) {
      const text = this.#parts.join('');
      this.#parts = [];
      this.#partsChars = 0;
      this.#receive(jsonOf(text));
    } else this.#receive(frame);
  }

  #receive(value: unknown): void {
    const message = parseWith(Message, value);
    if ('do' in message) this.#serve(message);
    else if ('error' in message)
      this.#waiting.get(message.re)?.reject(fromWireError(message.error));
    else this.#waiting.get(message.re)?.settle(message.ok);
  }

  #serve({ id, do: name, with: body }: RpcRequest): void {
    const handler = this.#handlers.get(name);
    if (!handler) throw broken(`unknown method ${name}`);
    if (this.#serving >= requestsInFlightMax) throw broken('too many requests at the same time');
    this.#serving += 1;
    void this.#answer(handler(body, this), id).finally(() => {
      this.#serving -= 1;
    });
  }

  /** Errors of notifications are ignored: they belonged to a call that is over. */
  async #answer(doing: Promise<unknown>, id: number | undefined): Promise<void> {
    try {
      const ok = (await doing) ?? null;
      if (id !== undefined) this.#send({ re: id, ok });
    } catch (error) {
      if (id !== undefined) this.#send({ re: id, error: toWireError(error) });
    }
  }

  #send(message: object): void {
    if (!this.#stream.writable) return;
    const text = JSON.stringify(message);
    if (text.length > messageCharsMax) {
      const size = `${text.length} characters; at most ${messageCharsMax} are allowed`;
      throw new Refusal('too_large', `A message between tool and runtime has ${size}.`);
    }
    this.#gather();
    if (text.length <= partCharsMax) {
      this.#stream.write(encodeFrame(message));
      return;
    }
    for (let from = 0; from < text.length; from += partCharsMax) {
      this.#stream.write(encodeFrame(text.slice(from, from + partCharsMax)));
    }
    this.#stream.write(encodeFrame(null));
  }

  /** Combines the messages of one tick into one write. */
  #gather(): void {
    if (this.#stream.writableCorked > 0) return;
    this.#stream.cork();
    process.nextTick(() => this.#stream.uncork());
  }

  #isFull(): boolean {
    return this.#stream.writable && this.#stream.writableLength > backlogBytesMax;
  }

  #roomAgain(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#stream.off('drain', done).off('close', done);
        resolve();
      };
      this.#stream.on('drain', done).on('close', done);
    });
  }
}

function parseWith<T>(schema: z.ZodType<T>, value: unknown): T {
  const found = schema.safeParse(value);
  if (found.success) return found.data;
  throw broken(z.prettifyError(found.error).slice(0, 500));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw broken('a long message is not JSON', cause);
  }
}

function broken(because: string, cause?: unknown): Fault {
  return new Fault('EXEC_PROTOCOL', { because }, { cause });
}
