import { tooManyBytes } from '../../../base/bytes/read-bytes.ts';

/** Splits a byte stream into lines in linear time. */
export class LineSplitter {
  readonly #bytesMax: number;
  #held: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Yields the lines that end in this chunk. Refusal `too_large` if a line is too long. */
  *push(chunk: Buffer): Generator<string, void> {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      this.#hold(rest.subarray(0, end));
      const line = Buffer.concat(this.#held).toString('utf8');
      this.clear();
      rest = rest.subarray(end + 1);
      yield line;
    }
    this.#hold(rest);
  }

  clear(): void {
    this.#held = [];
    this.#bytes = 0;
  }

  #hold(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#bytesMax) {
      this.clear();
      throw tooManyBytes({ bytesMax: this.#bytesMax, what: 'a message of the server' });
    }
    if (part.length > 0) this.#held.push(part);
  }
}
