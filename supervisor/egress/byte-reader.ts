import { readBytes } from '../../runtime/base/bytes/read-bytes.ts';
import { Refusal } from '../../runtime/base/refusal.ts';

/** Reads a stream once from beginning to end and tracks the position. */
export class ByteReader implements AsyncDisposable {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);
  #position = 0;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Reads exactly `bytes` bytes. Refusal `archive_unreadable` if the stream ends before. */
  async take(bytes: number): Promise<Buffer> {
    return await readBytes(this.pass(bytes), { bytesMax: bytes, what: 'the part' });
  }

  /** The same as a stream; if the reader stops early, the rest stays unread. */
  async *pass(bytes: number): AsyncGenerator<Uint8Array> {
    const end = this.#position + bytes;
    while (this.#position < end) {
      const chunk = this.#rest.length > 0 ? this.#rest : await this.#next();
      const part = chunk.subarray(0, end - this.#position);
      this.#rest = chunk.subarray(part.length);
      this.#position += part.length;
      yield part;
    }
  }

  /** Reads everything before a position. Forward only: refusal `archive_unreadable` for a position that was passed. */
  passTo(position: number): AsyncGenerator<Uint8Array> {
    if (position < this.#position) throw unreadable('its members overlap');
    return this.pass(position - this.#position);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chunks.return?.();
  }

  async #next(): Promise<Uint8Array> {
    const next = await this.#chunks.next();
    if (next.done === true) throw unreadable('it ends too early');
    return next.value;
  }
}

export function unreadable(because: string): Refusal {
  return new Refusal('archive_unreadable', because);
}
