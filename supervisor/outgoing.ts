import type { Duplex } from 'node:stream';
import type { ToolResult } from '../runtime/tools/tool.ts';
import { encodeMessage, headerBytes, sealed } from './protocol/frame.ts';
import { frameBytesMax, resultBytesMax } from './protocol/limits.ts';
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
    await this.#write(sealed(encodeMessage(message), frameBytesMax));
  }

  /** Any JSON; of what is too large, that it is. */
  async sendResult(id: string, result: unknown): Promise<void> {
    const frame = encodeMessage({ type: 'result', id, result });
    const bytes = frame.length - headerBytes;
    if (bytes > resultBytesMax) return this.sendResult(id, tooLarge(bytes));
    const busy = this.#write(sealed(frame, resultBytesMax));
    if (busy !== undefined) await busy;
  }

  /** Undefined: it takes more. */
  #write(frame: Buffer): Promise<void> | undefined {
    if (!this.#stream.writable) return undefined;
    this.#gather();
    return this.#stream.write(frame) ? undefined : this.#roomAgain();
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

function tooLarge(bytes: number): ToolResult {
  const message = `the result has ${bytes} bytes; at most ${resultBytesMax} can be passed`;
  return { ok: false, error: { code: 'result_too_large', message, retryable: false } };
}
