import type { Block, Draft } from '../block.ts';
import type { CallId, ConversationKey, Seq, TurnId } from '../ids.ts';
import type { BlockPath } from '../paths.ts';
import type { AppendRequest, AppendResult } from './append-request.ts';
import type {
  ConversationRow,
  ListedConversation,
  ListQuery,
  OwnerFilter,
  Sender,
} from './conversation-row.ts';
import type { EraseResult, Erasures } from './erasures.ts';
import type { Overview } from './overview.ts';

export type {
  ConversationRow,
  ListedConversation,
  ListPosition,
  ListQuery,
  OwnerFilter,
  ProjectScope,
  Sender,
} from './conversation-row.ts';

type Options = { readonly signal: AbortSignal };
export type LogPage = { readonly after: Seq; readonly limit: number };

/** `joining`: its type and path if it joins an open turn, which is known only under the lock; only a prompt changes its type. */
export type EventDraft = Draft & {
  readonly joining?: { readonly type: string; readonly path: BlockPath };
};

export type AcceptRequest = {
  readonly sender: Sender;
  /** Absent: creates a conversation with the id `newConversation`. An unknown id: creates a conversation with this id. */
  readonly conversation?: string;
  readonly newConversation: string;
  readonly message: string;
  /** Hash of the body. The same message id with another digest is a conflict. */
  readonly digest: string;
  /**
   * Only `user.*`, `external.*`, `feedback` and `approval.decision`. The store ignores their `turn` and chooses it. Empty and
   * not reactive: creates an empty conversation.
   */
  readonly events: readonly EventDraft[];
  readonly reactive: boolean;
  readonly newTurn: TurnId;
  /** Data of the `turn.open` block if one is written: `{ bundle, agent }`. */
  readonly turnData: Block['data'];
  readonly expectTurn?: TurnId;
  readonly needsTurn?: boolean;
};

export type AcceptResult = {
  /** `gone`: erased. `refused`: a stale `expectTurn`, or no open turn although one is required. */
  readonly status: 'started' | 'queued' | 'duplicate' | 'conflict' | 'refused' | 'gone';
  readonly key: ConversationKey | undefined;
  readonly conversation: string;
  readonly turn: TurnId | undefined;
  /** Seq of the last block of this event. */
  readonly seq: Seq;
  /** Whether this event opened its turn; for a `duplicate`, whether it did so when it was accepted first. */
  readonly opened: boolean;
  /** First block that a reader must fold. */
  readonly windowSeq: Seq;
};

/** The right to write to one conversation. Lost as soon as another worker acquires a higher fence. */
export type Lease = {
  readonly row: ConversationRow;
  readonly fence: number;
  readonly attempts: number;
  readonly ttlMs: number;
};

export type ForkRequest = {
  readonly conversation: string;
  /** Seq of the last shared block. */
  readonly at: Seq;
  readonly newConversation: string;
};

export type ForkResult =
  | { readonly status: 'forked'; readonly row: ConversationRow }
  /** `gone`: unknown, erased, or owned by another user. `beyond`: no such block. `taken`: the new id is in use. */
  | { readonly status: 'gone' | 'beyond' | 'taken' };

/** A call of a running program that must be recorded: it has an effect, or counts towards a limit. */
export type ProgramCall = {
  /** The id that the program uses for the call. */
  readonly id: string;
  readonly tool: string;
  /** The key that the tool receives: a keyed effect happens once per key. */
  readonly key: string;
  readonly effects: 'none' | 'keyed' | 'unkeyed';
  /** JSON; absent if it is too long to be recorded. */
  readonly input?: string;
  /** `ok` or the error code. Absent: unknown. */
  readonly outcome?: string;
};

export type JournalUpdate = {
  readonly fence: number;
  /** The id (`tc_…`) of the call that runs the program. */
  readonly program: CallId;
  /** Written durably before any of these calls is performed. */
  readonly begun: readonly ProgramCall[];
  readonly ended: readonly { readonly id: string; readonly outcome: string }[];
};

/** The only access to stored conversations: two writes, a lease, and reads. One contract suite tests every adapter. */
export interface TimelineStore {
  accept(request: AcceptRequest, options: Options): Promise<AcceptResult>;
  append(key: ConversationKey, request: AppendRequest, options: Options): Promise<AppendResult>;
  /**
   * Creates a conversation that continues from a block of another one without copying it: it shares the names, paths and
   * blobs up to that block. Its first owner closes a turn that is open there; no earlier event remains unanswered.
   */
  fork(sender: Sender, request: ForkRequest, options: Options): Promise<ForkResult>;
  /**
   * Records the calls of a program outside the log; the records are deleted once the log has the program's result.
   * Idempotent. False: another worker owns the conversation, or the program has ended; nothing was written.
   */
  journal(key: ConversationKey, said: JournalUpdate, options: Options): Promise<boolean>;
  /** The calls of a program without a result, in the order in which they began. */
  programCalls(
    key: ConversationKey,
    program: CallId,
    options: Options,
  ): Promise<readonly ProgramCall[]>;
  /** Undefined: another worker has the lease, or the conversation is erased. */
  acquire(
    key: ConversationKey,
    options: { worker: string; ttlMs: number } & Options,
  ): Promise<Lease | undefined>;
  /** Undefined: the lease is lost. */
  renew(
    key: ConversationKey,
    options: { fence: number; ttlMs: number } & Options,
  ): Promise<{ head: Seq; reactive: Seq; steer: Seq } | undefined>;
  /**
   * `pending`: a reactive event is unanswered, so continue. `handOver`: the owner stops in the middle of a turn; the
   * conversation is due at once, and this take-over does not count as an attempt. An owner that parked the turn was not lost:
   * attempts count from zero.
   */
  release(
    key: ConversationKey,
    options: { fence: number; handOver?: boolean } & Options,
  ): Promise<{ pending: boolean }>;
  /** Leases due conversations without an owner to the caller, with a back-off until the next sweep. */
  sweep(
    options: { worker: string; limit: number; ttlMs: number } & Options,
  ): Promise<readonly Lease[]>;
  /** At most `limit` blocks with a seq greater than `after`, in order. */
  read(key: ConversationKey, options: LogPage & Options): Promise<readonly Block[]>;
  /** The newest block with this path, anywhere in the log. */
  atPath(key: ConversationKey, path: BlockPath, options: Options): Promise<Block | undefined>;
  /** The user's conversation with this id; without a user, the one that a bundle opened, or else the oldest. Does not check access rights. */
  find(
    whose: OwnerFilter,
    conversation: string,
    options: Options,
  ): Promise<ConversationRow | undefined>;
  /** The seq of the last block of each of these conversations; those that are erased are missing. */
  heads(
    keys: readonly ConversationKey[],
    options: Options,
  ): Promise<ReadonlyMap<ConversationKey, Seq>>;
  /** The sender's conversations, newest activity first. */
  list(sender: Sender, query: ListQuery & Options): Promise<readonly ListedConversation[]>;
  setTitle(key: ConversationKey, title: string, options: Options): Promise<void>;
  setPinned(key: ConversationKey, pinned: boolean, options: Options): Promise<void>;
  /** Searches prompts, answers, summaries, notes and attachments by words and meaning, best first; without a text or vector, returns the newest. */
  search(sender: Sender, query: SnippetQuery, options: Options): Promise<readonly Snippet[]>;
  /** Turns in order with their snippets, and their total number. */
  turns(sender: Sender, query: TurnQuery, options: Options): Promise<TurnPage>;
  /** Feedback in the conversations of a user, or of all users of a project, newest conversation first. */
  feedback(
    whose: OwnerFilter,
    query: FeedbackQuery,
    options: Options,
  ): Promise<readonly ConversationFeedback[]>;
  /**
   * When it resolves, no reader can see the conversation and its owner has lost the lease. Repeating it returns the same
   * result. The id stays in use. `erasures` lists the remaining data; forks keep what they share.
   */
  erase(sender: Sender, conversation: string, options: Options): Promise<EraseResult>;
  readonly erasures: Erasures;
  readonly overview: Overview;
  /**
   * Claims snippets without a vector in the space for `ttlMs`, oldest first. Empty if there are none or another process has
   * claimed them.
   */
  unembedded(
    space: string,
    options: { limit: number; ttlMs: number } & Options,
  ): Promise<readonly SnippetToEmbed[]>;
  /** Stores the vectors of claimed snippets, except erased ones, and ends the claim. */
  keepVectors(space: string, vectors: readonly SnippetVector[], options: Options): Promise<void>;
}

export type SnippetTarget = 'assistant' | 'user' | 'attachment' | 'summary' | 'notes';
/** The weight of each ranking, 0 to 2; 1 by default. */
export type RankWeights = {
  readonly semantic?: number;
  readonly lexical?: number;
  readonly recency?: number;
};
/** A part of the sender's memory. Times are ISO 8601; `from` is inclusive, `to` exclusive. */
export type MemoryRange = {
  readonly targets: readonly SnippetTarget[];
  /** Absent: every conversation of the sender. */
  readonly conversation?: string;
  /** `<bundle>/<agent>`: only turns of this agent. */
  readonly agent?: string;
  readonly from?: string;
  readonly to?: string;
  /** A turn to exclude: the one that searches. */
  readonly except?: TurnId;
};
export type SnippetQuery = MemoryRange & {
  /** Absent: the newest snippets. */
  readonly text?: string;
  /** The embedding of the text, in the space of one embedder. */
  readonly vector?: { readonly space: string; readonly values: readonly number[] };
  readonly weights?: RankWeights;
  readonly limit: number;
};
export type Snippet = {
  readonly conversation: string;
  readonly turn: TurnId;
  readonly seq: Seq;
  readonly path: string;
  readonly target: SnippetTarget;
  readonly at: string;
  readonly text: string;
  readonly score: number;
  /** Position of the turn in its conversation, from 1, and the number of its turns; 0 for a snippet without a turn. */
  readonly ordinal: number;
  readonly turns: number;
  /** The turn only searched and read earlier content. */
  readonly recovery: boolean;
};
export type TurnQuery = MemoryRange & {
  readonly order: 'asc' | 'desc';
  /** Only these turns. */
  readonly only?: readonly TurnId[];
  /** Number of turns to skip. */
  readonly offset: number;
  readonly limit: number;
};
export type TurnRow = {
  readonly conversation: string;
  readonly turn: TurnId;
  readonly at: string;
  readonly ordinal: number;
  readonly turns: number;
  readonly recovery: boolean;
  /** The snippets of the requested targets, in order of seq. */
  readonly snippets: readonly Pick<Snippet, 'path' | 'target' | 'at' | 'text'>[];
};
export type TurnPage = { readonly total: number; readonly rows: readonly TurnRow[] };
export type FeedbackQuery = {
  /** Absent: every conversation with feedback. A fork includes the feedback of its ancestors only if it is named here. */
  readonly conversation?: string;
  /** ISO 8601; `from` is inclusive, `to` exclusive. */
  readonly from?: string;
  readonly to?: string;
  /** Only conversations created before the one with this key. */
  readonly before?: ConversationKey;
  /** Maximum number of conversations. */
  readonly limit: number;
};
/** All feedback blocks of a conversation in order of seq, including replaced ones; if there are too many, the newest. */
export type ConversationFeedback = {
  readonly row: ConversationRow;
  readonly blocks: readonly Block[];
};
/** One snippet by the internal keys of the store; `id` is its position among all snippets. */
type SnippetKey = { readonly key: ConversationKey; readonly seq: Seq; readonly id: number };
export type SnippetToEmbed = SnippetKey & { readonly text: string };
/** Without a vector: the snippet cannot be embedded and is not claimed again. */
export type SnippetVector = SnippetKey & { readonly vector?: readonly number[] };
