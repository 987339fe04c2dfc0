import { Transform, type TransformCallback } from 'node:stream';

/** How a program ended, in two bytes of the guard that outlived it: its exit status, and 1 if memory was wanting. */
export type Ended = { readonly code: number; readonly outOfMemory: boolean };

/**
 * What a program printed, as far as the mark; what stands behind the mark is not its own. Who cannot
 * know the mark cannot write it, and after it nothing of the program is there to write any more.
 */
export class LastWord extends Transform {
  /** Never settles for an output that ends without it. */
  readonly said: Promise<Ended>;
  readonly #mark: Buffer;
  #held: Buffer = Buffer.alloc(0);
  #over = false;
  #say: (ended: Ended) => void = () => undefined;

  constructor(mark: Buffer) {
    super();
    this.#mark = mark;
    this.said = new Promise((resolve) => {
      this.#say = resolve;
    });
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    if (!this.#over) this.#take(Buffer.concat([this.#held, chunk]));
    done();
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#held);
  }

  #take(bytes: Buffer): void {
    const at = this.#markIn(bytes);
    this.push(bytes.subarray(0, at));
    this.#held = bytes.subarray(at);
    const [code, memory] = this.#held.subarray(this.#mark.length);
    if (code === undefined || memory === undefined) return;
    this.#over = true;
    this.#held = Buffer.alloc(0);
    this.#say({ code, outOfMemory: memory === 1 });
    this.push(null);
  }

  /** Where the mark begins, or could: its end may be on the way. */
  #markIn(bytes: Buffer): number {
    const whole = bytes.indexOf(this.#mark);
    if (whole >= 0) return whole;
    let at = Math.max(0, bytes.length - this.#mark.length + 1);
    while (!this.#mark.subarray(0, bytes.length - at).equals(bytes.subarray(at))) at += 1;
    return at;
  }
}
