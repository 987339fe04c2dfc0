import { Duplex } from 'node:stream';
import { chunkBytesMax } from '../settings/limits.ts';
import { createDeferred, type Deferred } from './deferred.ts';

/** A byte stream over queue messages. A write waits until it is sent; `deliver` waits until it is read. */
export class QueueStream extends Duplex {
  readonly #send: (bytes: string) => Promise<void>;
  #drained: Deferred<void> = createDeferred();
  #ignoresBackpressure = false;
  #finished = false;

  /** `send` takes base64. */
  constructor(send: (bytes: string) => Promise<void>) {
    // Writes that arrive while a chunk is being sent go into the next chunk.
    super({ writableHighWaterMark: chunkBytesMax });
    this.#send = send;
  }

  /** Delivers received bytes (base64). Resolves when the reader wants more, or when backpressure is ignored. */
  async deliver(bytes: string): Promise<void> {
    if (this.destroyed || this.#finished) return;
    this.#drained = createDeferred();
    if (!this.push(Buffer.from(bytes, 'base64')) && !this.#ignoresBackpressure)
      await this.#drained.value;
  }

  /** From now on `deliver` does not wait for the reader. */
  ignoreBackpressure(): void {
    this.#ignoresBackpressure = true;
    this.#drained.settle();
  }

  /** Ends the stream; later deliveries are dropped. */
  finish(): void {
    if (!this.#finished) this.push(null);
    this.#finished = true;
  }

  override _read(): void {
    this.#drained.settle();
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#write(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#drained.settle();
    done(error);
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.byteLength; at += chunkBytesMax)
      await this.#send(bytes.subarray(at, at + chunkBytesMax).toString('base64'));
  }
}
