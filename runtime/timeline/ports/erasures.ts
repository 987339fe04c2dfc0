import type { ConversationKey } from '../ids.ts';
import type { Sender } from './conversation-row.ts';

type Options = { readonly signal: AbortSignal };

/** An erased conversation with remaining data. `asked` counts the requests to remove it. */
export type Erasure = ErasedPlace & { readonly key: ConversationKey; readonly asked: number };
type ErasedPlace = {
  readonly tenant: string;
  readonly project: string;
  readonly user: string;
  readonly conversation: string;
};
/** A blob that only an erased conversation refers to, within its tenant. */
export type LooseBlob = { readonly tenant: string; readonly hash: string };

/**
 * A user whose conversations and values are being removed. `asked` counts the requests; `at` is the time of the last one:
 * conversations created after it stay. `late`: all has been removed, and only what a slow writer has left may remain.
 */
export type UserErasure = Sender & {
  readonly asked: number;
  readonly at: string;
  readonly late: boolean;
};

/**
 * The outbox of erased conversations: their remaining data, until it is removed. Every step may be repeated, run twice at
 * the same time, and be interrupted anywhere: unsettled work can be claimed again when its claim ends.
 */
export interface Erasures {
  /** Claims erased conversations with remaining data for `ttlMs`, longest due first. */
  claim(options: { limit: number; ttlMs: number } & Options): Promise<readonly Erasure[]>;
  /**
   * Removes some of its blocks, names, journals and search data, except those that an existing fork shares; they are
   * claimed again once the last fork is erased. True: more remains.
   */
  remove(erasure: Erasure, options: Options): Promise<boolean>;
  /** Nothing remains. It becomes due once more `settleMs` after its erasure, for data that a slow writer left. */
  settle(erasure: Erasure, options: { settleMs: number } & Options): Promise<void>;
  /** Claims blobs for removal for `ttlMs`. */
  claimBlobs(options: { limit: number; ttlMs: number } & Options): Promise<readonly LooseBlob[]>;
  /** The blob is removed. With `againInMs`: it must not be removed yet and becomes due again after that time. */
  settleBlob(blob: LooseBlob, options: { againInMs?: number } & Options): Promise<void>;
  /** Those of these blobs of a tenant that no conversation refers to, whether erased or not. */
  unnamedBlobs(
    tenant: string,
    hashes: readonly string[],
    options: Options,
  ): Promise<readonly string[]>;
  /** Durable when it resolves, and claimed for `ttlMs`. A repetition includes what was created since. */
  startUser(user: Sender, options: { ttlMs: number } & Options): Promise<UserErasure>;
  /** Claims unsettled users for `ttlMs`, longest due first. */
  claimUsers(options: { limit: number; ttlMs: number } & Options): Promise<readonly UserErasure[]>;
  /** The ids of some conversations that are to be erased, oldest first. Empty if there are none. */
  conversationsOf(
    erasure: UserErasure,
    options: { limit: number } & Options,
  ): Promise<readonly string[]>;
  /**
   * Nothing remains. It becomes due once more after `settleMs`, as `late`. False: it was requested again since; it stays claimed
   * and is then due.
   */
  settleUser(erasure: UserErasure, options: { settleMs: number } & Options): Promise<boolean>;
}

/** `gone`: unknown, or owned by another user. */
export type EraseResult =
  | { readonly status: 'erased'; readonly key: ConversationKey }
  | { readonly status: 'gone' };
