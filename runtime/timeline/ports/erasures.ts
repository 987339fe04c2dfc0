type Options = { readonly signal: AbortSignal };

/** An erased conversation of which something is left. `asked` counts how often its removal was asked for. */
export type Erasure = { readonly key: number; readonly asked: number };
/** Bytes that an erased conversation named, and that no other conversation of the tenant names. */
export type LooseBlob = { readonly tenant: string; readonly hash: string };

/**
 * The outbox of erased conversations: what they leave behind, until somebody has removed it. Every step may be done
 * twice, by two at once, and be cut short anywhere: what is not settled is claimed again when the claim ends.
 */
export interface Erasures {
  /** Erased conversations with something left, longest due first; the caller's for `ttlMs`. */
  claim(options: { limit: number; ttlMs: number } & Options): Promise<readonly Erasure[]>;
  /**
   * Removes some of its blocks, names, journals and what is found by them, but those that a living fork shares; when its
   * last fork is erased, it is claimed again. True: there is more.
   */
  remove(erasure: Erasure, options: Options): Promise<boolean>;
  /** Nothing is left of it. It comes once more `settleMs` after it was erased: for what somebody slow still left. */
  settle(erasure: Erasure, options: { settleMs: number } & Options): Promise<void>;
  /** The caller's to remove for `ttlMs`. */
  claimBlobs(options: { limit: number; ttlMs: number } & Options): Promise<readonly LooseBlob[]>;
  /** It is removed; or, where it must not be yet, it comes again `againInMs` later. */
  settleBlob(blob: LooseBlob, options: { againInMs?: number } & Options): Promise<void>;
}

/** `gone`: unknown, or another user's. */
export type EraseResult =
  | { readonly status: 'erased'; readonly key: number }
  | { readonly status: 'gone' };
