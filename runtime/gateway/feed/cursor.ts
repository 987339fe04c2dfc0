import { createHash } from 'node:crypto';
import { type Seq, toSeq } from '../../timeline/ids.ts';

/**
 * The position of a subscriber: two watermarks, and where folding starts. Blocks up to (`seq`, `index`) and frames up
 * to (`fence`, `number`) have been sent. Both only grow, so the positions of a conversation are totally ordered, and a
 * resumed subscription sends exactly what neither watermark covers.
 */
export type Position = {
  /** Seq of the last block sent; 0 before the first. */
  readonly seq: Seq;
  /** Index within that block's envelopes; `wholeBlock` when it has no more. */
  readonly index: number;
  readonly fence: number;
  /** The last frame sent, and how much of it: its number times `framePartsMax`, plus the part. */
  readonly number: number;
  /** Seq of the first block that must be folded to know the state of the open turn. Not part of the order. */
  readonly since: number;
};

export const wholeBlock = 65_535;
/** The maximum number of parts of a frame; the last part is always `framePartsMax - 1`. */
export const framePartsMax = 256;

export const beginning: Position = {
  seq: toSeq(0),
  index: wholeBlock,
  fence: 0,
  number: 0,
  since: 1,
};

/** Right after block `seq`, before any unseen frame. */
export function afterBlock(seq: Seq, since: number): Position {
  return { seq, index: wholeBlock, fence: 0, number: 0, since };
}

/** Negative when `a` comes first. */
export function comparePositions(a: Position, b: Position): number {
  return a.seq - b.seq || a.index - b.index || compareFrames(a, b);
}

type FramePosition = Pick<Position, 'fence' | 'number'>;

/** Order of frames: by owner, then by the owner's count. */
export function compareFrames(a: FramePosition, b: FramePosition): number {
  return a.fence - b.fence || a.number - b.number;
}

/** The position of a part of a frame; without a part, the end of the frame. */
export function framePosition(frame: FramePosition, part = framePartsMax - 1): FramePosition {
  return { fence: frame.fence, number: frame.number * framePartsMax + part };
}

/**
 * Opaque to clients. The checksum includes the conversation, so that a cursor of another conversation, or an altered
 * one, is detected.
 */
export function toCursor(conversation: string, position: Position): string {
  const { seq, index, fence, number, since } = position;
  const body = [seq, index, fence, number, since].map((each) => each.toString(36)).join('.');
  return `${body}.${checksum(conversation, body)}`;
}

/** Undefined: not a cursor of this conversation. */
export function parseCursor(conversation: string, cursor: string): Position | undefined {
  const cut = cursor.lastIndexOf('.');
  const body = cursor.slice(0, Math.max(0, cut));
  const check = cursor.slice(cut + 1);
  const isKnown =
    check === checksum(conversation, body) || check === formerChecksum(conversation, body);
  if (!isKnown) return undefined;
  const numbers = body.split('.').map((each) => Number.parseInt(each, 36));
  const [seq, index, fence, number, since] = numbers;
  if (seq === undefined || index === undefined || fence === undefined) return undefined;
  if (number === undefined || since === undefined) return undefined;
  return numbers.every(Number.isSafeInteger)
    ? { seq: toSeq(seq), index, fence, number, since }
    : undefined;
}

/** Detects mistakes, not attacks: a cursor gives no rights. One is made for every envelope, so it must be cheap. */
function checksum(conversation: string, body: string): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  const text = `${conversation}\n${body}`;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high =
    Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low =
    Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return `${(high >>> 0).toString(36)}${(low >>> 0).toString(36)}`;
}

/** Of cursors that an earlier version of the server made. */
function formerChecksum(conversation: string, body: string): string {
  return createHash('sha256').update(`${conversation}\n${body}`).digest('base64url').slice(0, 8);
}
