import { Fault } from '../../runtime/base/fault.ts';
import { frameBytesMax } from './limits.ts';

const headerBytes = 4;

/** u32 big endian body length, then the body: one JSON value in UTF-8. */
export function encodeFrame(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message), 'utf8');
  if (body.length > frameBytesMax) {
    throw new Fault('EXEC_PROTOCOL', { because: 'frame too large to send', bytes: body.length });
  }
  const frame = Buffer.allocUnsafe(headerBytes + body.length);
  frame.writeUInt32BE(body.length, 0);
  body.copy(frame, headerBytes);
  return frame;
}

/**
 * Cuts a byte stream into JSON values, however it arrives. Linear: a chunk is kept by reference
 * until its frame is complete and copied once. Fault `EXEC_PROTOCOL` on a length over the limit
 * (before a byte of the body is kept) and on a body that is not JSON in UTF-8.
 */
export class FrameDecoder {
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true });
  #chunks: Buffer[] = [];
  #buffered = 0;
  #bodyBytes: number | undefined;

  *push(chunk: Uint8Array): Generator<unknown> {
    if (chunk.length > 0) {
      this.#chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      this.#buffered += chunk.length;
    }
    for (let body = this.#next(); body !== undefined; body = this.#next()) yield this.#parse(body);
  }

  #next(): Buffer | undefined {
    if (this.#bodyBytes === undefined) {
      const header = this.#take(headerBytes);
      if (header === undefined) return undefined;
      this.#bodyBytes = header.readUInt32BE(0);
      if (this.#bodyBytes > frameBytesMax) {
        throw new Fault('EXEC_PROTOCOL', { because: 'frame too large', bytes: this.#bodyBytes });
      }
    }
    const body = this.#take(this.#bodyBytes);
    if (body !== undefined) this.#bodyBytes = undefined;
    return body;
  }

  #take(bytes: number): Buffer | undefined {
    if (this.#buffered < bytes) return undefined;
    const [first = Buffer.alloc(0), ...others] = this.#chunks;
    const all = others.length === 0 ? first : Buffer.concat(this.#chunks);
    const rest = all.subarray(bytes);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#buffered -= bytes;
    return all.subarray(0, bytes);
  }

  #parse(body: Buffer): unknown {
    try {
      return JSON.parse(this.#utf8.decode(body));
    } catch (cause) {
      throw new Fault('EXEC_PROTOCOL', { because: 'frame is not JSON' }, { cause });
    }
  }
}
