import type { Json, JsonObject } from '../../base/json.ts';
import type { Author, BlobRef } from '../../timeline/block.ts';

/** One immutable record in the log of a conversation. `at` is the time of the database, ISO 8601 UTC with milliseconds. */
export type Block = {
  readonly conversation: string;
  /** Assigned by the store: from 1 and without gaps within a conversation. */
  readonly seq: number;
  readonly turn: string;
  readonly at: string;
  readonly type: string;
  readonly author: Author;
  readonly path?: string;
  /** The tool call this block belongs to, `tc_…`. */
  readonly call?: string;
  /** The message id of the event that this block represents. */
  readonly event?: string;
  readonly mime?: string;
  readonly text?: string;
  readonly data?: Json;
  readonly blob?: BlobRef;
  readonly meta: JsonObject;
};
