import { Refusal } from '../../base/refusal.ts';
import { type Position, parseCursor } from '../feed/cursor.ts';
import type { StreamMark } from './projection.ts';

/**
 * What a client of a foreign protocol has received: all envelopes up to `position`, the first `frames` frames of what
 * comes next, and the beginnings of streams whose blocks may have replaced them since.
 */
export type ResumePoint = {
  readonly position: Position;
  readonly frames: number;
  readonly streams: ReadonlyMap<string, StreamMark>;
  /** The stream had ended while the turn waited. */
  readonly isPaused: boolean;
};

const separator = '~';
/** In place of the number of frames. */
const paused = 'p';
/** Streams named by one id. */
const streamsMax = 16;

/** The SSE id of a frame: a cursor, and what the cursor does not say. */
export function toResumeId(
  cursor: string,
  { frames, streams, isPaused, turn }: Omit<ResumePoint, 'position'> & { readonly turn: string },
): string {
  if (frames === 0 && streams.size === 0 && !isPaused) return cursor;
  let id = `${cursor}${separator}${isPaused ? paused : frames}`;
  let count = 0;
  for (const [stream, { chars, ended }] of streams) {
    count += 1;
    if (count > streamsMax) break;
    const name = stream.startsWith(`${turn}.`) ? stream.slice(turn.length) : stream;
    id += `${separator}${name}*${chars}${ended ? '!' : ''}`;
  }
  return id;
}

/** Refusal `cursor_invalid`. A plain cursor of the conversation is a resume point as well. */
export function parseResumePoint(conversation: string, id: string): ResumePoint {
  const [cursor = '', frames = '0', ...shown] = id.split(separator);
  const position = parseCursor(conversation, cursor);
  const isPaused = frames === paused;
  const count = isPaused ? 0 : Number(frames);
  const streams = new Map(shown.map(parseShown));
  const marks = [...streams.values()].map(({ chars }) => chars);
  const isCount = (chars: number) => Number.isSafeInteger(chars) && chars >= 0;
  if (position && streams.size <= streamsMax && [count, ...marks].every(isCount)) {
    return { position, frames: count, streams, isPaused };
  }
  const message = 'the id does not belong to this conversation; connect without it';
  throw new Refusal('cursor_invalid', message);
}

function parseShown(text: string): readonly [string, StreamMark] {
  const [, name = '', chars = '-1', end = ''] = /^(.*)\*(\d{1,9})(!?)$/.exec(text) ?? [];
  return [name, { chars: Number(chars), ended: end !== '' }];
}

/** The client has received everything up to this position. */
export function sentUpTo(position: Position): ResumePoint {
  return { position, frames: 0, streams: new Map(), isPaused: false };
}
