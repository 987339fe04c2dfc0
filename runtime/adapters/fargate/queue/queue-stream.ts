import { Duplex } from 'node:stream';
import { chunkBytesMax } from '../settings/limits.ts';
import { createDeferred, type Deferred } from './deferred.ts';

/** A stream of bytes, carried by letters: who writes waits until it is sent, who delivers until it is read. */
export class QueueStream extends Duplex {
  readonly #send: (bytes: string) => Promise<void>;
  #drained: Deferred<void> = createDeferred();
  #ignoresBackpressure = false;
  #finished = false;

  /** `send` takes base64. */
  constructor(send: (bytes: string) => Promise<void>) {
    // What is written while a piece is on its way goes into the next.
    super({ writableHighWaterMark: chunkBytesMax });
    this.#send = send;
  }

  /** What has come, as base64. Resolves when whoever reads wants more, or is not waited for any more. */
  async deliver(bytes: string): Promise<void> {
    if (this.destroyed || this.#finished) return;
    this.#drained = createDeferred();
    if (!this.push(Buffer.from(bytes, 'base64')) && !this.#ignoresBackpressure)
      await this.#drained.value;
  }

  /** Nothing waits for whoever reads from now on. */
  ignoreBackpressure(): void {
    this.#ignoresBackpressure = true;
    this.#drained.settle();
  }

  /** What is delivered after this is nobody's. */
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
