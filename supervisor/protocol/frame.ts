import { Fault } from '../../runtime/base/fault.ts';
import { isJsonObject } from '../../runtime/base/json.ts';
import { frameBytesMax } from './limits.ts';

const headerBytes = 4;
const lineBreak = 0x0a;

/**
 * u32 big endian length of the rest, then one line of JSON in UTF-8: the message. A payload, bytes
 * that are neither looked at nor encoded again on their way, follows after a line break.
 */
export function encodeFrame(message: unknown, payload?: Uint8Array): Buffer {
  const text = JSON.stringify(message);
  const line = payload === undefined ? text : `${text}\n`;
  const lineBytes = Buffer.byteLength(line);
  const bytes = lineBytes + (payload?.length ?? 0);
  if (bytes > frameBytesMax) {
    throw new Fault('EXEC_PROTOCOL', { because: 'frame too large to send', bytes });
  }
  const frame = Buffer.allocUnsafe(headerBytes + bytes);
  frame.writeUInt32BE(bytes, 0);
  frame.write(line, headerBytes);
  if (payload !== undefined) frame.set(payload, headerBytes + lineBytes);
  return frame;
}

/**
 * Cuts a byte stream into messages, however it arrives; a payload is their `payload`. A frame that
 * is whole in its chunk is read where it is, any other is copied once into memory of its own size:
 * many small pieces take no more. Fault `EXEC_PROTOCOL` on a length over the limit (before a byte
 * of the frame is kept) and on a line that is not JSON in UTF-8.
 */
export class FrameDecoder {
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true });
  /** Room for a frame of which so much has come; for its header while the length is not known. */
  #part: Buffer | undefined;
  #filled = 0;

  *push(chunk: Uint8Array): Generator<unknown> {
    let rest = this.#complete(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    if (this.#isWhole()) yield this.#parse(this.#takePart());
    for (let end = endOf(rest); end <= rest.length; end = endOf(rest)) {
      yield this.#parse(rest.subarray(headerBytes, end));
      rest = rest.subarray(end);
    }
    if (rest.length > 0) this.#keep(rest);
  }

  /** Gives the frame that was begun what it still needs; returns what is left over. */
  #complete(chunk: Buffer): Buffer {
    let rest = chunk;
    while (this.#part !== undefined && !this.#isWhole() && rest.length > 0) {
      const copied = rest.copy(this.#part, this.#filled);
      this.#filled += copied;
      rest = rest.subarray(copied);
      if (this.#filled === headerBytes) this.#keep(this.#part.subarray(0, headerBytes));
    }
    return rest;
  }

  #isWhole(): boolean {
    return this.#filled >= headerBytes && this.#filled === this.#part?.length;
  }

  #keep(begun: Buffer): void {
    this.#part = Buffer.allocUnsafe(endOf(begun));
    this.#filled = begun.copy(this.#part);
  }

  #takePart(): Buffer {
    const body = this.#part?.subarray(headerBytes) ?? Buffer.alloc(0);
    this.#part = undefined;
    this.#filled = 0;
    return body;
  }

  #parse(body: Buffer): unknown {
    const end = body.indexOf(lineBreak);
    const message = this.#json(end < 0 ? body : body.subarray(0, end));
    if (end < 0) return message;
    if (!isJsonObject(message))
      throw new Fault('EXEC_PROTOCOL', { because: 'a payload of nothing' });
    return { ...message, payload: body.subarray(end + 1) };
  }

  #json(line: Buffer): unknown {
    try {
      return JSON.parse(this.#utf8.decode(line));
    } catch (cause) {
      throw new Fault('EXEC_PROTOCOL', { because: 'frame is not JSON' }, { cause });
    }
  }
}

/** Where the frame that begins here ends, or its header while that is not whole. */
function endOf(begun: Buffer): number {
  if (begun.length < headerBytes) return headerBytes;
  const bytes = begun.readUInt32BE(0);
  if (bytes > frameBytesMax)
    throw new Fault('EXEC_PROTOCOL', { because: 'frame too large', bytes });
  return headerBytes + bytes;
}
