import { isUtf8 } from 'node:buffer';
import { Fault } from '../../runtime/base/fault.ts';
import { frameBytesMax } from './limits.ts';
import { liftTexts, placeTexts } from './texts.ts';

export const headerBytes = 4;
const lineBreak = 0x0a;

/**
 * u32 big endian length of the rest, then one line of JSON in UTF-8: the message. Its large texts, bytes that nobody has
 * to write or read as JSON, may follow after a line break.
 */
export function encodeFrame(message: unknown): Buffer {
  return sealed(open(JSON.stringify(message), []), frameBytesMax);
}

/** A frame with the large texts of its message behind the line; its length is not written, for it may be too long. */
export function encodeMessage(message: object): Buffer {
  const { message: rest, texts } = liftTexts(message);
  const line = JSON.stringify(rest);
  return open(texts.length === 0 ? line : `${line}\n`, texts);
}

/** With its length. Fault `EXEC_PROTOCOL` on a frame over the limit. */
export function sealed(frame: Buffer, bytesMax: number): Buffer {
  const bytes = frame.length - headerBytes;
  if (bytes > bytesMax) {
    throw new Fault('EXEC_PROTOCOL', { because: 'frame too large to send', bytes });
  }
  frame.writeUInt32BE(bytes, 0);
  return frame;
}

function open(line: string, texts: readonly string[]): Buffer {
  const begun = Buffer.from(`0000${line}`);
  if (texts.length === 0) return begun;
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), begun.length);
  const frame = Buffer.allocUnsafe(bytes);
  let at = begun.copy(frame);
  for (const text of texts) at += frame.write(text, at);
  return frame;
}

function decode(body: Buffer): unknown {
  const end = body.indexOf(lineBreak);
  return end < 0 ? toJson(body) : placeTexts(toJson(body.subarray(0, end)), body.subarray(end + 1));
}

function toJson(line: Buffer): unknown {
  const text = line.toString();
  // Of bytes that are no UTF-8 something is always left that says so, and it may have been meant.
  if (text.includes('\uFFFD') && !isUtf8(line)) {
    throw new Fault('EXEC_PROTOCOL', { because: 'frame is not text' });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault('EXEC_PROTOCOL', { because: 'frame is not JSON' }, { cause });
  }
}

/**
 * Cuts a byte stream into messages, however it arrives, with their texts where they belong. A frame
 * that is whole in its chunk is read where it is, any other is copied once into memory of its own
 * size: many small pieces take no more. Fault `EXEC_PROTOCOL` on a length over the limit (before a
 * byte of the frame is kept), on a line that is not JSON in UTF-8 and on texts that are not as told.
 */
export class FrameDecoder {
  readonly #bytesMax: number;
  /** Room for a frame of which so much has come; for its header while the length is not known. */
  #part: Buffer | undefined;
  #filled = 0;

  constructor({ bytesMax = frameBytesMax }: { bytesMax?: number } = {}) {
    this.#bytesMax = bytesMax;
  }

  *push(chunk: Uint8Array): Generator<unknown> {
    const rest = this.#complete(Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk));
    if (this.#isWhole()) yield this.#takePart();
    let at = 0;
    for (let end = this.#endOf(rest, at); end <= rest.length; end = this.#endOf(rest, at)) {
      yield decode(rest.subarray(at + headerBytes, end));
      at = end;
    }
    if (at < rest.length) this.#keep(rest.subarray(at));
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
    this.#part = Buffer.allocUnsafe(this.#endOf(begun, 0));
    this.#filled = begun.copy(this.#part);
  }

  #takePart(): unknown {
    const part = this.#part ?? Buffer.alloc(headerBytes);
    this.#part = undefined;
    this.#filled = 0;
    return decode(part.subarray(headerBytes));
  }

  /** Where the frame that begins here ends, or its header while that is not whole. */
  #endOf(bytes: Buffer, at: number): number {
    if (bytes.length - at < headerBytes) return at + headerBytes;
    const length = bytes.readUInt32BE(at);
    if (length > this.#bytesMax) {
      throw new Fault('EXEC_PROTOCOL', { because: 'frame too large', bytes: length });
    }
    return at + headerBytes + length;
  }
}
