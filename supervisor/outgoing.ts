import type { Duplex } from 'node:stream';
import { encodeFrame } from './protocol/frame.ts';
import { resultBytesMax, resultPartBytesMax } from './protocol/limits.ts';
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

  async send(message: Exclude<ToExecutor | FromExecutor, { type: 'result' }>): Promise<void> {
    await this.#write(encodeFrame(message));
  }

  /** Any JSON as a series of `result` frames; other messages may come between them. */
  async sendResult(id: string, value: unknown): Promise<void> {
    const found = Buffer.from(JSON.stringify(value));
    const whole = found.length <= resultBytesMax ? found : Buffer.from(tooLarge(found.length));
    let from = 0;
    do {
      const part = whole.subarray(from, from + resultPartBytesMax);
      from += part.length;
      const more = from < whole.length;
      await this.#write(encodeFrame({ type: 'result', id, more }, part));
    } while (from < whole.length);
  }

  async #write(frame: Buffer): Promise<void> {
    if (!this.#stream.writable) return;
    this.#gather();
    if (!this.#stream.write(frame)) await this.#roomAgain();
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

function tooLarge(bytes: number): string {
  const message = `the result has ${bytes} bytes as JSON; at most ${resultBytesMax} can be passed`;
  return JSON.stringify({
    ok: false,
    error: { code: 'result_too_large', message, retryable: false },
  });
}
