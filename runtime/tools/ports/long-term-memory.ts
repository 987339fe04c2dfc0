import type { Sender } from '../../timeline/ports/store.ts';

type Options = { readonly signal: AbortSignal };

/** Whose facts: those of one user, of one agent for all its users, or of the whole tenant. */
export const memoryScopes = ['user', 'agent', 'tenant'] as const;
export type MemoryScope = (typeof memoryScopes)[number];

/** A user, and the agent (`bundle/agent`) that works for them. */
export type MemoryOwner = Sender & { readonly agent: string };

/** Something that outlives its conversation. */
export type Fact = {
  readonly id: string;
  readonly text: string;
  readonly scope: MemoryScope;
  /** `bundle/agent` that recorded it. */
  readonly agent: string;
  /** The conversation that it comes from. */
  readonly conversation: string;
  /** ISO 8601. */
  readonly at: string;
};

export type SpokenMessage = { readonly role: 'user' | 'assistant'; readonly text: string };

export type Recording = {
  readonly owner: MemoryOwner;
  readonly scope: MemoryScope;
  /** Identifies the recording: its repetition records nothing more. */
  readonly op: string;
  readonly conversation: string;
  /** Facts as they are to be kept, or messages for a memory that extracts facts itself. */
  readonly content:
    | { readonly facts: readonly string[] }
    | { readonly messages: readonly SpokenMessage[] };
};

export type RecallQuery = {
  readonly owner: MemoryOwner;
  readonly scopes: readonly MemoryScope[];
  readonly text: string;
  readonly limit: number;
};

/** The facts to forget: one, those that one conversation has left, or all. */
export type ForgetRequest =
  | { readonly id: string }
  | { readonly conversation: string }
  | { readonly all: true };

/**
 * Facts about users that outlive conversations. Faults `MEMORY_UNAVAILABLE` (transient) and `MEMORY_REFUSED`. One contract
 * suite tests every adapter.
 */
export interface LongTermMemory {
  /** It extracts facts from messages itself. Otherwise it takes facts only. */
  readonly extracts: boolean;
  /** Returns the facts that are new. A recording with a known `op` changes nothing and returns nothing. */
  record(recording: Recording, options: Options): Promise<readonly Fact[]>;
  /** Whether a recording has been made. */
  isRecorded(owner: MemoryOwner, op: string, options: Options): Promise<boolean>;
  /** The facts that suit the text best, best first. */
  retrieve(query: RecallQuery, options: Options): Promise<readonly Fact[]>;
  /** Facts that this user's conversations have left, in every scope, newest first. */
  list(user: Sender, options: Options): Promise<readonly Fact[]>;
  /** Removes facts of this user, in every scope. Returns how many. */
  forget(user: Sender, what: ForgetRequest, options: Options): Promise<number>;
  /** Which of these facts still exist. */
  existing(
    owner: MemoryOwner,
    ids: readonly string[],
    options: Options,
  ): Promise<ReadonlySet<string>>;
}
