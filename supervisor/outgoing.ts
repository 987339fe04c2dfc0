import type { Duplex } from 'node:stream';
import { encodeFrame } from './protocol/frame.ts';
import { resultCharsMax, resultPartCharsMax } from './protocol/limits.ts';
import type { FromExecutor, ToExecutor } from './protocol/messages.ts';

/**
 * The writing half of a frame stream. Waits while the other side does not read, so a result stays
 * "in flight" until it is taken. A stream that is gone takes nothing and is no error here: its end
 * is told by its reader and by the process behind it.
 */
export class Outgoing {
  readonly #stream: Duplex;
  #room: Promise<void> | undefined;

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.on('error', () => undefined);
  }

  async send(message: ToExecutor | FromExecutor): Promise<void> {
    const frame = encodeFrame(message);
    if (!this.#stream.writable) return;
    this.#gather();
    if (!this.#stream.write(frame)) await this.#roomAgain();
  }

  /** Any JSON as a series of `result` frames; other messages may come between them. */
  async sendResult(id: string, value: unknown): Promise<void> {
    const whole = JSON.stringify(value);
    const text = whole.length <= resultCharsMax ? whole : JSON.stringify(tooLarge(whole.length));
    let from = 0;
    do {
      const to = partEnd(text, from);
      await this.send({ type: 'result', id, text: text.slice(from, to), more: to < text.length });
      from = to;
    } while (from < text.length);
  }

  /** What is sent in one go leaves in one write. */
  #gather(): void {
    if (this.#stream.writableCorked > 0) return;
    this.#stream.cork();
    process.nextTick(() => this.#stream.uncork());
  }

  #roomAgain(): Promise<void> {
    this.#room ??= new Promise<void>((resolve) => {
      const done = () => {
        this.#stream.off('drain', done).off('close', done);
        this.#room = undefined;
        resolve();
      };
      this.#stream.on('drain', done).on('close', done);
    });
    return this.#room;
  }
}

/** A part never ends between the halves of a surrogate pair: UTF-8 could not carry them apart. */
function partEnd(text: string, from: number): number {
  const end = Math.min(from + resultPartCharsMax, text.length);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

function tooLarge(chars: number) {
  const message = `the result has ${chars} characters; at most ${resultCharsMax} can be passed`;
  return { ok: false, error: { code: 'result_too_large', message, retryable: false } };
}
