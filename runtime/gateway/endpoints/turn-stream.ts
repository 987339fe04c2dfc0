import type { Context } from 'hono';
import { Refusal } from '../../base/refusal.ts';
import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import { toSeq } from '../../timeline/ids.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import { afterBlock, type Position } from '../feed/cursor.ts';
import { startOfTail } from '../feed/history.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { type FrameSource, streamFrames } from '../http/frame-stream.ts';
import type { ProjectionKind, SseFrame } from '../projections/projection.ts';
import { parseResumePoint, type ResumePoint, sentUpTo } from '../projections/resume-point.ts';
import { type FollowedEvent, TurnFrames } from '../projections/turn-frames.ts';
import { type DelegateParts, Delegates } from './delegates.ts';

type StreamParts = Pick<HttpParts, 'deps' | 'closing'>;

export type TurnStream = {
  readonly row: ConversationRow;
  readonly after: ResumePoint;
  readonly kind: ProjectionKind;
  /** Undefined: the end of any turn ends the stream. */
  readonly event?: FollowedEvent | undefined;
  /** The client has a part of this stream already, and `after` is an id of it. */
  readonly isResumed?: boolean;
  /** What the client has of the conversations of agents that work on its calls. */
  readonly places?: DelegateParts['places'];
  /** The connection was closed before the end. */
  readonly onGone?: (() => void) | undefined;
};

/** Responds with one turn in the words of another protocol, as server-sent events. */
export function streamTurn(
  context: Context<Env>,
  parts: StreamParts,
  stream: TurnStream,
): Response {
  return streamFrames(context, parts, turnSource(context, parts, stream));
}

/** The frames of one turn in the words of another protocol. */
export function turnSource(
  context: Context<Env>,
  parts: StreamParts,
  { row, after, kind, event, isResumed, onGone, places }: TurnStream,
): FrameSource {
  const start = startOfTurn(after.position);
  const { open, last, headers = {} } = kind;
  const frames = new TurnFrames(row.id, { start, after, kind, event, isResumed });
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  const closed = (taken: readonly SseFrame[]) =>
    frames.isOver && last !== undefined ? [...taken, last] : taken;
  const left = () => (frames.isOver ? undefined : onGone?.());
  context.req.raw.signal.addEventListener('abort', left, { once: true });
  const source = {
    ...{ row, start },
    take: (envelope: WireEnvelope) => closed(frames.take(envelope)),
    caughtUp: () => closed(frames.caughtUp()),
    get isOver() {
      return frames.isOver;
    },
  };
  if (kind.showsDelegates !== true) return source;
  const sender = context.get('sender');
  const { store, clock } = parts.deps;
  const find = (conversation: string, signal: AbortSignal) =>
    store.find(sender, conversation, { signal });
  return withDelegates(source, frames, { open, clock, find, places });
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

/** The same source, with the turns of agents that work on its calls. */
function withDelegates(source: FrameSource, turn: TurnFrames, parts: DelegateParts): FrameSource {
  const delegates = new Delegates(parts);
  return {
    row: source.row,
    start: source.start,
    attach: (response) => delegates.attach(response),
    take: (envelope) => {
      const frames = source.take(envelope);
      return delegates.take(envelope, frames, turn.isCatchingUp);
    },
    caughtUp: () => {
      const frames = source.caughtUp?.() ?? [];
      delegates.showAll();
      return frames;
    },
    get isOver() {
      return source.isOver === true && !delegates.isHolding;
    },
  };
}

/** Right before the turn that a position is in: a projection needs its turn from the start. */
export function startOfTurn({ since }: Position): Position {
  return afterBlock(toSeq(Math.max(0, since - 1)), Math.max(1, since));
}
