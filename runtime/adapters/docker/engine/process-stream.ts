import { Duplex, type Readable } from 'node:stream';

type Ends = { readonly stdin: NodeJS.WritableStream; readonly stdout: Readable };

/**
 * The standard input and output of a supervisor. The supervisor ends with this connection. Destroying the stream
 * closes the connection, unless `leave` was called: the supervisor's container keeps the program's files until they
 * are collected.
 */
export class ProcessStream extends Duplex {
  readonly #stdin: NodeJS.WritableStream;
  readonly #stdout: Readable;
  #isLeft = false;

  constructor({ stdin, stdout }: Ends) {
    super();
    this.#stdin = stdin;
    this.#stdout = stdout;
    stdout.on('data', (chunk: Uint8Array) => {
      if (!this.push(chunk)) stdout.pause();
    });
    stdout.once('end', () => this.push(null));
    stdout.once('close', () => {
      if (!stdout.readableEnded) this.destroy();
    });
  }

  /** Ends the stream but leaves the supervisor running. */
  leave(): void {
    this.#isLeft = true;
    this.destroy();
  }

  override _read(): void {
    this.#stdout.resume();
  }

  override _write(chunk: Uint8Array, _: BufferEncoding, done: (error?: Error) => void): void {
    this.#stdin.write(chunk, (error) => done(error ?? undefined));
  }

  override _writev(
    chunks: readonly { readonly chunk: Uint8Array }[],
    done: (error?: Error) => void,
  ): void {
    const bytes = Buffer.concat(chunks.map(({ chunk }) => chunk));
    this.#stdin.write(bytes, (error) => done(error ?? undefined));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#stdout.destroy();
    if (!this.#isLeft) this.#stdin.end();
    done(error);
  }
}
