import type { Json, JsonObject } from '../base/json.ts';
import type { CallId, Seq, TurnId } from './ids.ts';
import type { BlockPath } from './paths.ts';

/** Bytes stored outside the log, named by their hash. `hash` is `sha256:<hex>`; `size` is in bytes. */
export type BlobRef = { readonly hash: string; readonly size: number };

export type Author = 'user' | 'agent' | 'tool' | 'system' | 'world';

/** One immutable record in the log of a conversation. `at` is the time of the database, ISO 8601 UTC with milliseconds. */
export type Block = {
  readonly conversation: string;
  /** Assigned by the store: from 1 and without gaps within a conversation. */
  readonly seq: Seq;
  readonly turn: TurnId;
  readonly at: string;
  readonly type: string;
  readonly author: Author;
  readonly path?: BlockPath;
  /** The tool call this block belongs to, `tc_…`. */
  readonly call?: CallId;
  /** The message id of the event that this block represents. */
  readonly event?: string;
  readonly mime?: string;
  readonly text?: string;
  readonly data?: Json;
  readonly blob?: BlobRef;
  readonly meta: JsonObject;
};

/** A block before the store assigns its position. In `accept`, `$turn` in `path` becomes the turn chosen under the lock. */
export type Draft = Omit<Block, 'conversation' | 'seq' | 'at' | 'meta'> & {
  readonly meta?: JsonObject;
};

export type CloseReason =
  | 'completed'
  | 'exhausted'
  | 'interrupted'
  | 'failed'
  | 'parked'
  | 'handed_off';

export type Usage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly costUsd: number;
};
