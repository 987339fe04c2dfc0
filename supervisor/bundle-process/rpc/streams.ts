import { Fault } from '../../../runtime/base/fault.ts';
import { chunkBytesMax } from './limits.ts';
import { type Handlers, on, type Peer } from './peer.ts';
import { streamMethods } from './rpc-protocol.ts';

type Bytes = Uint8Array | AsyncIterable<Uint8Array>;

/** Byte streams that the other side can pull; the side that offers a stream also drops it. */
export class Offers {
  readonly #open = new Map<number, AsyncIterator<Uint8Array>>();
  #last = 0;

  offer(bytes: Bytes): number {
    this.#last += 1;
    this.#open.set(this.#last, inPieces(bytes));
    return this.#last;
  }

  async drop(stream: number): Promise<void> {
    const iterator = this.#open.get(stream);
    this.#open.delete(stream);
    await iterator?.return?.();
  }

  handlers(): Handlers {
    return new Map([
      on(streamMethods.pull, ({ stream }) => this.#next(stream)),
      on(streamMethods.drop, ({ stream }) => this.drop(stream)),
    ]);
  }

  async #next(stream: number): Promise<string | null> {
    const iterator = this.#open.get(stream);
    if (!iterator) throw new Fault('EXEC_PROTOCOL', { because: 'unknown stream' });
    const step = await iterator.next();
    if (step.done) return null;
    const { buffer, byteOffset, length } = step.value;
    return Buffer.from(buffer, byteOffset, length).toString('base64');
  }
}

/** Pulls a stream that the other side offers. */
export async function* pullStream(
  peer: Peer,
  stream: number,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    for (;;) {
      const piece = await peer.ask(streamMethods.pull, { stream });
      if (piece === null) return;
      yield Buffer.from(piece, 'base64');
    }
  } finally {
    peer.notify(streamMethods.drop, { stream });
  }
}

async function* inPieces(bytes: Bytes): AsyncGenerator<Uint8Array, undefined> {
  for await (const part of bytes instanceof Uint8Array ? [bytes] : bytes) {
    for (let at = 0; at < part.length; at += chunkBytesMax) {
      yield part.subarray(at, at + chunkBytesMax);
    }
  }
}
