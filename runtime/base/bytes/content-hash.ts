import { createHash } from 'node:crypto';
import { tooManyBytes } from './read-bytes.ts';

/** Computes the hash and size of bytes while they stream into a store or out of it. */
export class ContentHash {
  readonly #hash = createHash('sha256');
  readonly #bytesMax: number;
  #size = 0;

  constructor(bytesMax = Number.POSITIVE_INFINITY) {
    this.#bytesMax = bytesMax;
  }

  /** The same chunks. Refusal `too_large` beyond `bytesMax`; the signal's reason once aborted. */
  async *through(
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of bytes instanceof Uint8Array ? [bytes] : bytes) {
      signal?.throwIfAborted();
      this.#size += chunk.byteLength;
      if (this.#size > this.#bytesMax) {
        throw tooManyBytes({ bytesMax: this.#bytesMax, what: 'the content' });
      }
      this.#hash.update(chunk);
      yield chunk;
    }
    signal?.throwIfAborted();
  }

  /** Of the bytes so far: hash as sha256:<hex>, size in bytes. */
  ref(): { readonly hash: string; readonly size: number } {
    return { hash: `sha256:${this.#hash.copy().digest('hex')}`, size: this.#size };
  }
}
