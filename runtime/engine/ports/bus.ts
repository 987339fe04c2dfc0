import type { Json } from '../../base/json.ts';
import type { ConversationKey, Seq, StreamName, TurnId } from '../../timeline/ids.ts';
import type { Sender } from '../../timeline/ports/store.ts';

/** Whose list of conversations it is. */
export type Owner = Sender;

type Waits = { readonly signal: AbortSignal };

/** One piece of a stream to clients. Ordered by (after, fence, number); `offset` is in UTF-16 units of its stream. */
export type DeltaFrame = {
  readonly kind: 'delta';
  /** Seq of the block that this frame follows. */
  readonly after: Seq;
  readonly fence: number;
  /** Increases within a fence. */
  readonly number: number;
  readonly turn: TurnId;
  readonly round: number;
  readonly channel: string;
  readonly instance: number;
  /** Unique in the conversation; the block made from the stream carries it as `data.stream`. */
  readonly stream: StreamName;
  readonly marker: string;
  readonly text: string;
  readonly offset: number;
  readonly completed: boolean;
  readonly artifact?: { readonly name: string; readonly mime?: string; readonly title?: string };
};

/** A live event that is not a block: progress of a program, an app's own event, a stream to discard. */
export type LiveFrame = {
  readonly kind: 'live';
  readonly after: Seq;
  readonly fence: number;
  readonly number: number;
  readonly turn: TurnId;
  readonly round: number;
  readonly type: string;
  readonly data: Json;
};

export type Frame = DeltaFrame | LiveFrame;

export type Note =
  | { readonly kind: 'frame'; readonly frame: Frame }
  /** Blocks up to `head` can be read from the store. */
  | { readonly kind: 'head'; readonly head: Seq }
  /** The conversation is erased: its worker stops, its followers leave. */
  | { readonly kind: 'erased' };

/** An event that was stored. */
export type Announcement = {
  /** Its seq. */
  readonly head: Seq;
  /** A worker must handle it. */
  readonly wake?: boolean;
  /** It steers the open turn. */
  readonly steer?: boolean;
};

/**
 * Messages between processes that may be lost at any time: wakes, steer signals, new heads, frames. The frame buffer
 * of a conversation survives a crash of the process, so that a reconnecting client misses nothing.
 */
export interface Bus {
  wake(key: ConversationKey): void;
  onWake(listener: (key: ConversationKey) => void): Disposable;
  steer(key: ConversationKey, seq: Seq): void;
  onSteer(key: ConversationKey, listener: (seq: Seq) => void): Disposable;
  /** `publish`, `wake` and `steer` for one event, sent together. */
  announce(key: ConversationKey, announcement: Announcement): void;
  /** Publishes a new head, or frames. Frames are buffered before they are delivered. */
  publish(key: ConversationKey, notes: readonly Note[]): void;
  subscribe(key: ConversationKey, listener: (note: Note) => void): Disposable;
  /** The list of a user's conversations has changed: a new one, its title, its state. */
  touch(owner: Owner): void;
  onTouch(owner: Owner, listener: () => void): Disposable;
  /** Buffered frames with `after >= from`, in order. Bounded: the oldest turns are dropped first. */
  frames(key: ConversationKey, from: Seq, options: Waits): Promise<readonly Frame[]>;
  /** Drops the buffered frames of a conversation. False: they cannot be reached now. */
  forget(key: ConversationKey, options: Waits): Promise<boolean>;
  /** Resolves when everything published so far has reached the bus. */
  flush(options: Waits): Promise<void>;
}
