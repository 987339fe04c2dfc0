import { randomInt } from 'node:crypto';
import { comparedLineBytesMin, comparedNameBytes } from './limits.ts';

/** The structure of a line of JSON, found without parsing it, so that input over a limit is refused before it takes memory. */
export type Outline = {
  /** Members of the outermost object as raw bytes: `"name"` and value. At most one more than `membersMax`. */
  readonly members: readonly Member[];
  /** Upper bound of the number of values; an empty object or list counts as two. */
  readonly values: number;
  /** Number of different names in objects; in a short line, the number of all names. */
  readonly names: number;
  readonly depth: number;
};

export type Member = { readonly name: Buffer; readonly value: Buffer };

/** More members than any message has. */
export const membersMax = 8;

const [quote, backslash, first, last] = [0x22, 0x5c, 0x7b, 0x7d];
/** Meanings of bytes outside texts; other bytes have none. The last two do not change the depth. */
const [opens, closes, parts, names, begins] = [1, 2, 3, 4, 5];
const meanings = new Uint8Array(256);
for (const [meaning, bytes] of [
  [opens, '{['],
  [closes, '}]'],
  [parts, ','],
  [names, ':'],
  [begins, '"'],
] as const) {
  for (const byte of Buffer.from(bytes)) meanings[byte] = meaning;
}
/** Change of depth and of the value count, by meaning. */
const steps = new Int8Array([0, 1, -1, 0]);
const counts = new Uint8Array([0, 1, 0, 1]);

/** Factor of the hashes of names: a program that does not know it cannot construct many names with one hash. */
const factor = randomInt(2 ** 31) | 1;
const bitsOfHash = 18;

/** The outline of a line. Undefined: the line is not an object. */
export function outlineOf(line: Buffer): Outline | undefined {
  const walk = new OutlineWalk(line);
  walk.advance(line.length);
  return walk.outline;
}

/**
 * Reads a line of JSON once, byte by byte, in any number of steps. It does not check that the line is JSON:
 * each member is parsed separately before it is used.
 */
export class OutlineWalk {
  readonly #members: Member[] = [];
  #values = 0;
  #names = 0;
  #depth = 0;
  #level = 0;
  #at = 0;
  /** End of the outermost object. */
  #end: number | undefined;
  readonly #line: Buffer;
  readonly #seen: Uint32Array | undefined;
  /** Start of the last text, of the current outermost member, and of its value. */
  #textAt = 0;
  #member = 1;
  #value = 0;

  constructor(line: Buffer) {
    this.#line = line;
    if (line.length >= comparedLineBytesMin) this.#seen = new Uint32Array(2 ** (bitsOfHash - 5));
  }

  get isOver(): boolean {
    return this.#at >= this.#line.length;
  }

  /** The outline after the walk is over. Undefined: the line is not an object. */
  get outline(): Outline | undefined {
    const line = this.#line;
    const isObject = line[0] === first && line[line.length - 1] === last;
    if (!isObject || this.#end !== line.length - 1) return undefined;
    const [members, values, names, depth] = [this.#members, this.#values, this.#names, this.#depth];
    return { members, values, names, depth };
  }

  /** Reads `bytes` more bytes, and on to the end of a text that begins in them. */
  advance(bytes: number): void {
    const line = this.#line;
    const to = Math.min(line.length, this.#at + bytes);
    let [at, level, values, depth] = [this.#at, this.#level, this.#values, this.#depth];
    for (; at < to; at += 1) {
      const meaning = meanings[line[at] ?? 0] ?? 0;
      if (meaning === 0) continue;
      if (level === 1) this.#outermost(meaning, at);
      if (meaning >= names) {
        at = this.#text(meaning, at);
        continue;
      }
      values += counts[meaning] ?? 0;
      level += steps[meaning] ?? 0;
      depth = Math.max(depth, level);
    }
    [this.#at, this.#level, this.#values, this.#depth] = [at, level, values, depth];
  }

  /** Handles a colon, or skips a text to its closing quote. */
  #text(meaning: number, from: number): number {
    if (meaning === names) {
      this.#name(from);
      return from;
    }
    const line = this.#line;
    this.#textAt = from + 1;
    let at = from + 1;
    for (; at < line.length && line[at] !== quote; at += 1) {
      if (line[at] === backslash) at += 1;
    }
    return at;
  }

  #outermost(meaning: number, at: number): void {
    if (meaning === names && this.#value === 0) this.#value = at + 1;
    if (meaning === parts || meaning === closes) this.#endMember(at);
    if (meaning === closes) this.#end ??= at;
  }

  #endMember(at: number): void {
    const [line, from, value] = [this.#line, this.#member, this.#value];
    this.#member = at + 1;
    this.#value = 0;
    if (this.#members.length > membersMax) return;
    const name = line.subarray(from, Math.max(from, value - 1));
    this.#members.push({ name, value: line.subarray(Math.max(from, value), at) });
  }

  #name(at: number): void {
    const seen = this.#seen;
    if (seen === undefined) {
      this.#names += 1;
      return;
    }
    const hash = this.#hash(at);
    const [word, bit] = [hash >>> 5, 1 << (hash & 31)];
    const known = seen[word] ?? 0;
    if ((known & bit) !== 0) return;
    seen[word] = known | bit;
    this.#names += 1;
  }

  /** Hash of the name before the colon. */
  #hash(colon: number): number {
    const [line, from] = [this.#line, this.#textAt];
    const to = Math.min(colon, from + comparedNameBytes);
    let hash = colon - from;
    for (let at = from; at < to; at += 1) hash = Math.imul(hash, factor) + (line[at] ?? 0);
    return (hash ^ (hash >>> bitsOfHash)) & (2 ** bitsOfHash - 1);
  }
}
