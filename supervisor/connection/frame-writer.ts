import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Fault } from '../../runtime/base/fault.ts';
import type { ToolResult } from '../../runtime/tools/ports/tool.ts';
import { encodeMessage, headerBytes, writeLength } from '../protocol/frame.ts';
import {
  frameBytesMax,
  keptBytesMax,
  resultBytesMax,
  unreadBytesMax,
  unreadMsMax,
} from '../protocol/limits.ts';
import type { FromExecutor, ToExecutor } from '../protocol/messages.ts';

/**
 * Writes frames to a stream. Waits while the other side does not read, so a result stays
 * in flight until it is read. Writing to a closed stream is not an error here: its reader and the
 * process behind it report the end.
 */
export class FrameWriter {
  readonly #stream: Duplex;
  #room: Promise<void> | undefined;
  #kept = Buffer.alloc(0);

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.on('error', () => undefined);
  }

  async send(message: Exclude<ToExecutor | FromExecutor, { type: 'result' }>): Promise<void> {
    this.#gather();
    await this.#write(writeLength(encodeMessage(message), frameBytesMax));
  }

  /**
   * Sends any JSON as a result; a result that is too large is replaced by an error. `alone`: no other result is expected at the
   * same time. Not `async`, so that a waiting result is kept only once, as bytes.
   */
  sendResult(id: string, result: unknown, { alone = false } = {}): Promise<void> | undefined {
    const frame = encodeMessage({ type: 'result', id, result }, this.#allocate);
    const bytes = frame.length - headerBytes;
    if (bytes > resultBytesMax) return this.sendResult(id, tooLarge(bytes));
    if (!alone) this.#gather();
    return this.#write(writeLength(frame, resultBytesMax));
  }

  /** When a socket has nothing buffered, everything was passed to the kernel and the memory can be reused. */
  readonly #allocate = (bytes: number): Buffer => {
    const free = this.#stream instanceof Socket && this.#stream.writableLength === 0;
    if (!free || bytes > keptBytesMax) return Buffer.allocUnsafe(bytes);
    if (this.#kept.length < bytes) this.#kept = Buffer.allocUnsafe(bytes);
    return this.#kept.subarray(0, bytes);
  };

  /** Undefined: the stream accepts more. */
  #write(frame: Buffer): Promise<void> | undefined {
    if (!this.#stream.writable) return undefined;
    const taken = this.#stream.write(frame) || this.#stream.writableLength === 0;
    return taken ? undefined : this.#roomAgain();
  }

  /** Combines the messages of one tick into one write. */
  #gather(): void {
    if (!this.#stream.writable || this.#stream.writableCorked > 0) return;
    this.#stream.cork();
    process.nextTick(() => this.#stream.uncork());
  }

  #roomAgain(): Promise<void> {
    this.#room ??= new Promise<void>((resolve) => {
      const watched = this.#watch();
      const done = () => {
        this.#stream.off('drain', done).off('close', done);
        clearInterval(watched);
        this.#room = undefined;
        resolve();
      };
      this.#stream.on('drain', done).on('close', done);
    });
    return this.#room;
  }

  /** Closes a stream whose reader leaves too much unread for too long. */
  #watch(): NodeJS.Timeout {
    let before = this.#stream.writableLength;
    const look = () => {
      const now = this.#stream.writableLength;
      if (now >= before && now > unreadBytesMax) {
        this.#stream.destroy(new Fault('EXEC_PROTOCOL', { because: 'results are not read' }));
      }
      before = now;
    };
    return setInterval(look, unreadMsMax).unref();
  }
}

function tooLarge(bytes: number): ToolResult {
  const message = `the result has ${bytes} bytes; at most ${resultBytesMax} can be passed`;
  return { ok: false, error: { code: 'result_too_large', message, retryable: false } };
}
