import { Duplex } from 'node:stream';
import { pieceBytesMax } from '../settings/limits.ts';
import { type Once, once } from './deferred.ts';

/** A stream of bytes, carried by letters: who writes waits until it is sent, who delivers until it is read. */
export class LetterStream extends Duplex {
  readonly #send: (bytes: string) => Promise<void>;
  #room: Once<void> = once();
  #hurried = false;
  #over = false;

  /** `send` takes base64. */
  constructor(send: (bytes: string) => Promise<void>) {
    // What is written while a piece is on its way goes into the next.
    super({ writableHighWaterMark: pieceBytesMax });
    this.#send = send;
  }

  /** What has come, as base64. Resolves when whoever reads wants more, or is not waited for any more. */
  async deliver(bytes: string): Promise<void> {
    if (this.destroyed || this.#over) return;
    this.#room = once();
    if (!this.push(Buffer.from(bytes, 'base64')) && !this.#hurried) await this.#room.value;
  }

  /** Nothing waits for whoever reads from now on. */
  hurry(): void {
    this.#hurried = true;
    this.#room.settle();
  }

  /** What is delivered after this is nobody's. */
  finish(): void {
    if (!this.#over) this.push(null);
    this.#over = true;
  }

  override _read(): void {
    this.#room.settle();
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#write(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#room.settle();
    done(error);
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.byteLength; at += pieceBytesMax)
      await this.#send(bytes.subarray(at, at + pieceBytesMax).toString('base64'));
  }
}
