import { invariant } from '../../runtime/base/assert.ts';
import { Fault } from '../../runtime/base/fault.ts';
import { frameBytesMax, keptBytesMax } from './limits.ts';
import { type ExtractedTexts, extractTexts, restoreTexts, toText } from './texts.ts';

export const headerBytes = 4;
const lineBreak = 0x0a;
const utf8 = new TextEncoder();

/**
 * Encodes a frame: u32 big endian length of the rest, then the message as one line of JSON in UTF-8. Large texts of the message
 * may follow after a line break, as bytes that are not encoded as JSON.
 */
export function encodeFrame(message: unknown): Buffer {
  return writeLength(withHeader(JSON.stringify(message)), frameBytesMax);
}

/** Allocates memory for a frame. */
export type Allocate = (bytes: number) => Buffer;

/** Encodes a frame with the large texts of its message after the line. The length is not written yet, because the frame may be too long. */
export function encodeMessage(message: object, allocate: Allocate = Buffer.allocUnsafe): Buffer {
  const lifted = extractTexts(message);
  const { rest, texts } = lifted;
  if (texts.length === 0) return withHeader(JSON.stringify(rest));
  // Counting bytes takes longer than writing them, and in most texts each character is one byte.
  const chars = texts.map((text) => text.length);
  const frame =
    withTexts(lifted, chars, allocate) ?? withTexts(lifted, texts.map(bytesOf), allocate);
  invariant(frame !== undefined, 'a text has as many bytes as were counted');
  return frame;
}

/** Undefined: a text has more bytes than its given size. */
function withTexts(
  { rest, texts, places }: ExtractedTexts,
  sizes: readonly number[],
  allocate: Allocate,
): Buffer | undefined {
  const sizedTexts = places.map((place, n) => [place, sizes[n]]);
  const line = withHeader(`${JSON.stringify(Object.assign(rest, { texts: sizedTexts }))}\n`);
  const frame = allocate(sizes.reduce((sum, size) => sum + size, line.length));
  let at = line.copy(frame);
  for (const [n, text] of texts.entries()) {
    const end = at + (sizes[n] ?? 0);
    if (utf8.encodeInto(text, frame.subarray(at, end)).read < text.length) return undefined;
    at = end;
  }
  return frame;
}

function withHeader(line: string): Buffer {
  return Buffer.from(`0000${line}`);
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** Writes the length of a frame. Fault `EXEC_PROTOCOL` for a frame over the limit. */
export function writeLength(frame: Buffer, bytesMax: number): Buffer {
  const bytes = frame.length - headerBytes;
  if (bytes > bytesMax) {
    throw new Fault('EXEC_PROTOCOL', { because: 'frame too large to send', bytes });
  }
  frame.writeUInt32BE(bytes, 0);
  return frame;
}

function decode(body: Buffer): unknown {
  const { line, texts } = splitFrame(body);
  return texts === undefined ? toJson(line) : restoreTexts(toJson(line), texts);
}

/** Splits a frame into its line and the bytes after the line break. */
export function splitFrame(body: Buffer): {
  readonly line: Buffer;
  readonly texts: Buffer | undefined;
} {
  const end = body.indexOf(lineBreak);
  if (end < 0) return { line: body, texts: undefined };
  return { line: body.subarray(0, end), texts: body.subarray(end + 1) };
}

/** Fault `EXEC_PROTOCOL` for a line that is not JSON in UTF-8. */
export function toJson(line: Buffer): unknown {
  const text = toText(line);
  if (text === undefined) {
    throw new Fault('EXEC_PROTOCOL', { because: 'frame is not UTF-8' });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault('EXEC_PROTOCOL', { because: 'frame is not JSON' }, { cause });
  }
}

/** Decodes a byte stream into messages. Fault `EXEC_PROTOCOL` like `FrameCutter`, and for a frame that is not a message. */
export class FrameDecoder {
  readonly #cutter: FrameCutter;

  constructor(options: { bytesMax?: number } = {}) {
    this.#cutter = new FrameCutter(options);
  }

  *push(chunk: Uint8Array): Generator<unknown> {
    for (const body of this.#cutter.push(chunk)) yield decode(body);
  }
}

/**
 * Cuts a byte stream into frames, whatever the chunks; a frame is valid until the next one is taken. A frame that is complete
 * in its chunk is not copied. Any other is copied once into memory that is reused for the next one, and many small chunks
 * cost no more. Fault `EXEC_PROTOCOL` for a length over the limit, before a byte of the frame is kept.
 */
export class FrameCutter {
  readonly #bytesMax: number;
  /** Memory of a partial frame, its bytes so far and its expected size (the size of the header until the length is known). */
  #part = Buffer.alloc(headerBytes);
  #filled = 0;
  #wanted = headerBytes;

  constructor({ bytesMax = frameBytesMax }: { bytesMax?: number } = {}) {
    this.#bytesMax = bytesMax;
  }

  *push(chunk: Uint8Array): Generator<Buffer> {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    let at = this.#complete(bytes);
    if (this.#isWhole()) yield this.#take();
    for (let end = this.#endOf(bytes, at); end <= bytes.length; end = this.#endOf(bytes, at)) {
      yield bytes.subarray(at + headerBytes, end);
      at = end;
    }
    if (at < bytes.length) this.#keep(bytes.subarray(at));
  }

  /** Completes the partial frame and returns the position after its bytes. */
  #complete(bytes: Buffer): number {
    let at = 0;
    while (this.#filled > 0 && !this.#isWhole() && at < bytes.length) {
      const end = Math.min(bytes.length, at + this.#wanted - this.#filled);
      this.#keep(bytes.subarray(at, end));
      at = end;
    }
    return at;
  }

  #isWhole(): boolean {
    return this.#filled > 0 && this.#filled === this.#wanted;
  }

  #keep(more: Buffer): void {
    this.#makeRoom(this.#filled + more.length);
    this.#filled += more.copy(this.#part, this.#filled);
    this.#wanted = this.#endOf(this.#part.subarray(0, this.#filled), 0);
    this.#makeRoom(this.#wanted);
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#part.length) return;
    const larger = Buffer.allocUnsafe(bytes);
    this.#part.copy(larger, 0, 0, this.#filled);
    this.#part = larger;
  }

  #take(): Buffer {
    const body = this.#part.subarray(headerBytes, this.#filled);
    this.#filled = 0;
    if (this.#part.length > keptBytesMax) this.#part = Buffer.alloc(headerBytes);
    return body;
  }

  /** The end of the frame that begins here, or the end of its header while that is incomplete. */
  #endOf(bytes: Buffer, at: number): number {
    if (bytes.length - at < headerBytes) return at + headerBytes;
    const length = bytes.readUInt32BE(at);
    if (length > this.#bytesMax) {
      throw new Fault('EXEC_PROTOCOL', { because: 'frame too large', bytes: length });
    }
    return at + headerBytes + length;
  }
}
