import { Transform, type TransformCallback } from 'node:stream';

/** How a program ended, in two bytes from the guard: its exit status, and 1 if it ran out of memory. */
export type ExitRecord = { readonly code: number; readonly outOfMemory: boolean };

/**
 * Passes a program's output through up to the mark; the bytes after the mark come from the guard. The program cannot
 * write the mark because it does not know it, and no process of the program is left after it.
 */
export class ExitRecordReader extends Transform {
  /** Never settles if the output ends without a record. */
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

  /** Where the mark begins, or could begin: the rest of it may not have arrived yet. */
  #markIn(bytes: Buffer): number {
    const whole = bytes.indexOf(this.#mark);
    if (whole >= 0) return whole;
    let at = Math.max(0, bytes.length - this.#mark.length + 1);
    while (!this.#mark.subarray(0, bytes.length - at).equals(bytes.subarray(at))) at += 1;
    return at;
  }
}
