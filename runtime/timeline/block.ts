import type { Json, JsonObject } from '../base/json.ts';

/** Bytes kept outside the log, named by what they are. `hash` is `sha256:<hex>`; `size` in bytes. */
export type BlobRef = { readonly hash: string; readonly size: number };

export type Author = 'user' | 'agent' | 'tool' | 'system' | 'world';

/** One immutable record of a conversation's log. `at` is the database's clock, ISO 8601 UTC with milliseconds. */
export type Block = {
  readonly conversation: string;
  /** Gapless per conversation, from 1, given by the store. */
  readonly seq: number;
  readonly turn: string;
  readonly at: string;
  readonly type: string;
  readonly author: Author;
  readonly path?: string;
  /** The tool call this block belongs to, `tc_…`. */
  readonly call?: string;
  /** The message id of the event this block was made from. */
  readonly event?: string;
  readonly mime?: string;
  readonly text?: string;
  readonly data?: Json;
  readonly blob?: BlobRef;
  readonly meta: JsonObject;
};

/** A block before the store has given it a place. In `accept`, `$turn` in `path` becomes the turn chosen under the lock. */
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

/** The turn of a block that belongs to none: feedback on a closed turn, an app's word between turns. */
export const noTurn = 'none';
