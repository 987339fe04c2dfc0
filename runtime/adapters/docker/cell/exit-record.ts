import { Transform, type TransformCallback } from 'node:stream';

/** How a program ended, in two bytes of the guard that outlived it: its exit status, and 1 if memory was wanting. */
export type ExitRecord = { readonly code: number; readonly outOfMemory: boolean };

/**
 * What a program printed, as far as the mark; what stands behind the mark is not its own. Who cannot
 * know the mark cannot write it, and after it nothing of the program is there to write any more.
 */
export class ExitRecordReader extends Transform {
  /** Never settles for an output that ends without it. */
  readonly record: Promise<ExitRecord>;
  readonly #mark: Buffer;
  #pending: Buffer = Buffer.alloc(0);
  #complete = false;
  #resolve: (ended: ExitRecord) => void = () => undefined;

  constructor(mark: Buffer) {
    super();
    this.#mark = mark;
    this.record = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    if (!this.#complete) this.#take(Buffer.concat([this.#pending, chunk]));
    done();
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#pending);
  }

  #take(bytes: Buffer): void {
    const at = this.#markIn(bytes);
    this.push(bytes.subarray(0, at));
    this.#pending = bytes.subarray(at);
    const [code, memory] = this.#pending.subarray(this.#mark.length);
    if (code === undefined || memory === undefined) return;
    this.#complete = true;
    this.#pending = Buffer.alloc(0);
    this.#resolve({ code, outOfMemory: memory === 1 });
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
