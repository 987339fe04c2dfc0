import { isUtf8 } from 'node:buffer';

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Checks incrementally whether bytes are text: valid UTF-8, or UTF-16 with a byte order mark, without binary bytes. */
export class TextCheck {
  readonly encoding: TextEncoding;
  readonly #decoder: TextDecoder | undefined;
  /** The beginning of a character that continues in the next piece. */
  #held = Buffer.alloc(0);
  #isText = true;

  constructor(head: Uint8Array) {
    this.encoding = encodingOf(head);
    if (this.encoding !== 'utf-8') this.#decoder = new TextDecoder(this.encoding, { fatal: true });
  }

  /** False: it is not text, whatever follows. */
  add(bytes: Uint8Array): boolean {
    this.#isText &&= this.#decoder ? this.#decodes(bytes) : this.#continues(bytes);
    return this.#isText;
  }

  /** False: it is not text, or its last character is cut off. */
  end(): boolean {
    if (!this.#isText) return false;
    return this.#decoder ? this.#decodes(undefined) : this.#held.length === 0;
  }

  #continues(bytes: Uint8Array): boolean {
    const all = Buffer.concat([this.#held, bytes]);
    const whole = all.length - cutBytes(all);
    this.#held = Buffer.from(all.subarray(whole));
    const text = all.subarray(0, whole);
    return isUtf8(text) && !hasBinary(text);
  }

  #decodes(bytes: Uint8Array | undefined): boolean {
    try {
      const text = bytes ? this.#decoder?.decode(bytes, { stream: true }) : this.#decoder?.decode();
      return !hasBinary(Buffer.from(text ?? ''));
    } catch {
      // The decoder throws on invalid byte sequences.
      return false;
    }
  }
}

export function encodingOf([first, second]: Uint8Array): TextEncoding {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/**
 * Whether there are bytes that do not occur in text. Tabs, line ends, ESC and the separators of logs (SOH, SUB, FS to
 * US) are allowed.
 */
function hasBinary(text: Uint8Array): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (byte < 0x1a && byte !== 1 && (byte < 7 || byte > 13)) return true;
  }
  return false;
}

/** The bytes of an incomplete character at the end: at most three. */
function cutBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < lengthOf(byte) ? back : 0;
  }
  return 0;
}

function lengthOf(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
