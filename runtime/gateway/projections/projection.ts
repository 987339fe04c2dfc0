import type { WireEnvelope } from '../../client/protocol/envelope.ts';

/** One event of a stream of server-sent events. Without `event` and `id`, the fields are omitted. */
export type SseFrame = {
  readonly id?: string;
  /** Another conversation, to which `id` belongs. Server-sent events name only places in their own conversation. */
  readonly of?: string;
  readonly event?: string;
  readonly data: string;
};

/**
 * One turn in the words of another protocol. Pure: the same envelopes give the same frames, without clock, random or
 * I/O. It takes every envelope of its turn from `chat.start` on.
 */
export interface Projection {
  take(envelope: WireEnvelope): readonly SseFrame[];
  /** The turn has ended, and so does a stream that shows it. */
  readonly isOver: boolean;
  /** The turn waits for a client, and a stream of this protocol ends then. */
  readonly isWaiting?: boolean;
  /** The last frames of a stream that ends while the turn waits. */
  pause?(): readonly SseFrame[];
  /** The first frames of a stream that begins here, with a message that joined the turn. */
  begin?(): readonly SseFrame[];
  /** What its frames have shown of streams that have no block yet. Part of a resume point. */
  streams?(): ReadonlyMap<string, StreamMark>;
  /** The client has the beginnings of these streams, from frames that cannot be repeated. */
  resume?(streams: ReadonlyMap<string, StreamMark>): void;
}

/** The first characters of a stream, and whether its end was shown. */
export type StreamMark = { readonly chars: number; readonly ended: boolean };

export type TurnNames = { readonly conversation: string; readonly turn: string };

export type OpenProjection = (names: TurnNames) => Projection;

/** How a protocol is served on the stream of a conversation. */
export type ProjectionKind = {
  readonly open: OpenProjection;
  /** Its frames carry ids, and `Last-Event-ID` resumes after one. */
  readonly isResumable: boolean;
  /**
   * A stream for a message may show several turns: one that ended without having read the message, and the one that answers
   * it. Clients of this protocol need the end of the former; those of others would stop reading there, so it is not sent.
   */
  readonly endsEachTurn?: boolean;
  /** Turns of agents that work on calls of this turn are shown on the same stream. */
  readonly showsDelegates?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** The last frame before the stream ends, if the protocol has one. */
  readonly last?: SseFrame;
};
