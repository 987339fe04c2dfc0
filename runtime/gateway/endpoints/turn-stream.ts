import type { Context } from 'hono';
import { Refusal } from '../../base/refusal.ts';
import { toSeq } from '../../timeline/ids.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import { afterBlock, type Position } from '../feed/cursor.ts';
import { startOfTail } from '../feed/history.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { streamFrames } from '../http/frame-stream.ts';
import type { ProjectionKind, SseFrame } from '../projections/projection.ts';
import { parseResumePoint, type ResumePoint } from '../projections/resume-point.ts';
import { type FollowedEvent, TurnFrames } from '../projections/turn-frames.ts';

type StreamParts = Pick<HttpParts, 'deps' | 'closing'>;

export type TurnStream = {
  readonly row: ConversationRow;
  readonly after: ResumePoint;
  readonly kind: ProjectionKind;
  /** Undefined: the end of any turn ends the stream. */
  readonly event?: FollowedEvent | undefined;
  /** The client has a part of this stream already, and `after` is an id of it. */
  readonly isResumed?: boolean;
  /** The connection was closed before the end. */
  readonly onGone?: (() => void) | undefined;
};

/** Responds with one turn in the words of another protocol, as server-sent events. */
export function streamTurn(
  context: Context<Env>,
  parts: StreamParts,
  { row, after, kind, event, isResumed, onGone }: TurnStream,
): Response {
  const start = startOfTurn(after.position);
  const { open, isResumable, last, headers = {} } = kind;
  const frames = new TurnFrames(row.id, open, { start, after, isResumable, event, isResumed });
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  const closed = (taken: readonly SseFrame[]) =>
    frames.isOver && last !== undefined ? [...taken, last] : taken;
  const left = () => (frames.isOver ? undefined : onGone?.());
  context.req.raw.signal.addEventListener('abort', left, { once: true });
  return streamFrames(context, parts, {
    ...{ row, start },
    take: (envelope) => closed(frames.take(envelope)),
    caughtUp: () => closed(frames.caughtUp()),
    get isOver() {
      return frames.isOver;
    },
  });
}

/** After an id: what follows it. Without one: the open turn, or the last one, from its start. Refusal `cursor_invalid`. */
export async function resumePointOf(
  row: ConversationRow,
  last: string | undefined,
  { deps, closing: signal }: StreamParts,
): Promise<ResumePoint> {
  if (last !== undefined && last !== '') {
    const point = parseResumePoint(row.id, last);
    if (point.position.seq <= row.head) return point;
    throw new Refusal('cursor_invalid', 'the id does not belong to this conversation');
  }
  const place = { store: deps.store, signal };
  return sentUpTo(await startOfTail(row, { turns: 1, until: row.head }, place));
}

/** The client has received everything up to this position. */
export function sentUpTo(position: Position): ResumePoint {
  return { position, frames: 0, streams: new Map(), isPaused: false };
}

/** Right before the turn that a position is in: a projection needs its turn from the start. */
export function startOfTurn({ since }: Position): Position {
  return afterBlock(toSeq(Math.max(0, since - 1)), Math.max(1, since));
}
