import type { Json } from '../../base/json.ts';
import {
  type ConversationKey,
  type Seq,
  type StreamName,
  type TurnId,
  toSeq,
} from '../../timeline/ids.ts';
import type { LivePiece } from '../../tools/ports/live.ts';
import type { Bus, DeltaFrame } from '../ports/bus.ts';

export type StreamHeader = Pick<DeltaFrame, 'channel' | 'instance' | 'stream' | 'marker'> &
  Pick<Partial<DeltaFrame>, 'artifact'>;

/**
 * Publishes the frames of one session: numbers them, tracks the offset of each stream, and records which block they
 * come after. It also follows heads published by others (a followup that was just accepted), so that a client never
 * sees a frame that belongs before a block it already has.
 */
export class Publisher implements Disposable {
  readonly #bus: Pick<Bus, 'publish' | 'subscribe'>;
  readonly #key: ConversationKey;
  readonly #fence: number;
  readonly #subscription: Disposable;
  readonly #offsets = new Map<StreamName, number>();
  #after: Seq;
  #number = 0;

  constructor(
    bus: Pick<Bus, 'publish' | 'subscribe'>,
    { key, fence, head }: { key: ConversationKey; fence: number; head: Seq },
  ) {
    this.#bus = bus;
    this.#key = key;
    this.#fence = fence;
    this.#after = head;
    this.#subscription = bus.subscribe(key, (note) => {
      if (note.kind === 'head') this.#after = toSeq(Math.max(this.#after, note.head));
    });
  }

  delta(
    place: { turn: TurnId; round: number },
    stream: StreamHeader,
    piece: { text: string; completed?: boolean },
  ): void {
    const { text, completed = false } = piece;
    const offset = this.#offsets.get(stream.stream) ?? 0;
    this.#offsets.set(stream.stream, offset + text.length);
    const frame = {
      kind: 'delta' as const,
      ...this.#place(place),
      ...stream,
      text,
      offset,
      completed,
    };
    this.#bus.publish(this.#key, [{ kind: 'frame', frame }]);
  }

  live(place: { turn: TurnId; round: number }, type: string, data: Json): void {
    const frame = { kind: 'live' as const, ...this.#place(place), type, data };
    this.#bus.publish(this.#key, [{ kind: 'frame', frame }]);
  }

  /** Clients discard what this stream has shown; it may start again. */
  reset(place: { turn: TurnId; round: number }, stream: StreamName): void {
    this.#offsets.delete(stream);
    this.live(place, 'stream.reset', { stream });
  }

  /** Output of a running tool, which tracks the offsets of its own streams. */
  piece(place: { turn: TurnId; round: number }, piece: LivePiece): void {
    const frame = { ...this.#place(place), ...piece };
    this.#bus.publish(this.#key, [{ kind: 'frame', frame }]);
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }

  #place(place: { turn: TurnId; round: number }) {
    this.#number += 1;
    return { ...place, after: this.#after, fence: this.#fence, number: this.#number };
  }
}
