import type { Block, Draft } from '../block.ts';
import type { EraseResult, Erasures } from './erasures.ts';

export type ProjectScope = { readonly tenant: string; readonly project: string };
export type Sender = ProjectScope & { readonly user: string };
export type OwnerFilter = ProjectScope & { readonly user?: string };
type Options = { readonly signal: AbortSignal };

/** The row of one conversation. `key` is the store's own name for it; `id` is `conv_…`, unique to its user. */
export type ConversationRow = ProjectScope & {
  readonly key: number;
  readonly id: string;
  readonly user: string;
  readonly title: string | undefined;
  readonly head: number;
  /** Seq of the last reactive event; the open turn may close only when it has rendered this one. */
  readonly reactive: number;
  readonly answered: number;
  readonly steer: number;
  /** First block a reader must fold. */
  readonly windowSeq: number;
  readonly openTurn: string | undefined;
  /** Blocks up to `seq` are of `conversation`, which wrote the one at `seq`. Absent: no fork. */
  readonly forkedFrom?: { readonly conversation: string; readonly seq: number };
  readonly createdAt: string;
  readonly lastAt: string;
};

export type AcceptRequest = {
  readonly sender: Sender;
  /** Absent: a new conversation named `newConversation`. Present but unknown: created under that name. */
  readonly conversation?: string;
  readonly newConversation: string;
  readonly message: string;
  /** Hash of the body: the same message id with another digest is a conflict. */
  readonly digest: string;
  /**
   * Only `user.*`, `external.*`, `feedback` and `approval.decision`. `turn` of each is ignored: the store chooses. None, and
   * not reactive: the conversation is made, and nothing is said in it.
   */
  readonly events: readonly Draft[];
  /** The same blocks as they are written when they join an open turn. Absent: as `events`. Chosen under the lock. */
  readonly joining?: readonly Draft[];
  readonly reactive: boolean;
  readonly newTurn: string;
  /** Data of the `turn.open` block, should one be written: `{ bundle, agent }`. */
  readonly turnData: Block['data'];
  readonly expectTurn?: string;
  readonly needsTurn?: boolean;
};

export type AcceptResult = {
  /** `gone`: erased. `refused`: a stale `expectTurn`, or no open turn where one is needed. */
  readonly status: 'started' | 'queued' | 'duplicate' | 'conflict' | 'refused' | 'gone';
  readonly key: number | undefined;
  readonly conversation: string;
  readonly turn: string | undefined;
  /** Seq of the last block of this event. */
  readonly seq: number;
};

/** The right to write one conversation. Lost the moment somebody else acquires a higher fence. */
export type Lease = {
  readonly row: ConversationRow;
  readonly fence: number;
  readonly attempts: number;
  readonly ttlMs: number;
};

export type AppendRequest = {
  readonly fence: number;
  /** Id of this append. The same op again (a lost reply) gets the first answer and writes nothing. */
  readonly op: string;
  readonly blocks: readonly Draft[];
  /** Last seq the owner has rendered; required when a `turn.close` is among the blocks, with a gate, and to park. */
  readonly asOf?: number;
  /** How many leading blocks are written even if a reactive event is newer than `asOf`; the rest is held back (`deferred`). */
  readonly gate?: number;
  readonly expectHead?: number;
  /** First block a reader must fold from now on; comes with a `view.compact`. Held back with it by a gate. */
  readonly window?: number;
  /**
   * The turn is parked: nobody need look at it before so many ms, unless a reactive event newer than `asOf` arrives.
   * It is parked until the next append, which says so again or takes the turn up.
   */
  readonly dueInMs?: number;
};

export type AppendResult = {
  readonly status: 'ok' | 'deferred' | 'moved' | 'fenced' | 'gone';
  readonly firstSeq: number;
  readonly head: number;
  readonly reactive: number;
  readonly steer: number;
  readonly openTurn: string | undefined;
};

export type ForkRequest = {
  readonly conversation: string;
  /** The last block that the fork shares. */
  readonly at: number;
  readonly newConversation: string;
};

export type ForkResult =
  | { readonly status: 'forked'; readonly row: ConversationRow }
  /** `gone`: unknown, erased, or another user's. `beyond`: there is no such block. `taken`: another has the new name. */
  | { readonly status: 'gone' | 'beyond' | 'taken' };

/** A call that a running program asks for and that must be known of later: it has an effect, or is one of so many. */
export type ProgramCall = {
  /** The program's name for it. */
  readonly id: string;
  readonly tool: string;
  /** As the tool is given it: a keyed effect happens once for it. */
  readonly key: string;
  readonly effects: 'none' | 'keyed' | 'unkeyed';
  /** JSON; absent: longer than what is kept. */
  readonly input?: string;
  /** `ok` or the code of the error. Absent: nobody knows. */
  readonly outcome?: string;
};

export type JournalUpdate = {
  readonly fence: number;
  /** `tc_…` of the call that runs the program. */
  readonly program: string;
  /** Durable before any of them is performed. */
  readonly begun: readonly ProgramCall[];
  readonly ended: readonly { readonly id: string; readonly outcome: string }[];
};

/** The one door to stored conversations: two writes, a lease, and reads. One contract suite runs over every adapter. */
export interface TimelineStore {
  accept(request: AcceptRequest, options: Options): Promise<AcceptResult>;
  append(key: number, request: AppendRequest, options: Options): Promise<AppendResult>;
  /**
   * A conversation that goes on from a block of another, without copying it: names, paths and blobs up to there are its
   * own too. A turn that is open there is its first owner's to close; nothing said up to there is left to answer.
   */
  fork(sender: Sender, request: ForkRequest, options: Options): Promise<ForkResult>;
  /**
   * What the owner says of a program's calls, beside the log: it is forgotten when the program has its result there.
   * Repeatable. False: another owns the conversation, or the program is over; nothing was written.
   */
  journal(key: number, said: JournalUpdate, options: Options): Promise<boolean>;
  /** Calls of a program that has no result yet, in the order they began. */
  programCalls(key: number, program: string, options: Options): Promise<readonly ProgramCall[]>;
  /** Undefined: held by somebody else, or erased. */
  acquire(
    key: number,
    options: { worker: string; ttlMs: number } & Options,
  ): Promise<Lease | undefined>;
  /** Undefined: lost. */
  renew(
    key: number,
    options: { fence: number; ttlMs: number } & Options,
  ): Promise<{ head: number; reactive: number; steer: number } | undefined>;
  /**
   * `pending`: something reactive is unanswered, go round again. `handOver`: the owner stops in the middle of it; it is
   * due at once, and this take-over is not counted.
   */
  release(
    key: number,
    options: { fence: number; handOver?: boolean } & Options,
  ): Promise<{ pending: boolean }>;
  /** Conversations that are due and free, leased to the caller, with back-off for the next sweep. */
  sweep(
    options: { worker: string; limit: number; ttlMs: number } & Options,
  ): Promise<readonly Lease[]>;
  /** Blocks with `after < seq`, in order, at most `limit`. */
  read(key: number, options: { after: number; limit: number } & Options): Promise<readonly Block[]>;
  /** The newest block of a path, wherever in the log it is. */
  atPath(key: number, path: string, options: Options): Promise<Block | undefined>;
  /**
   * Of several users who have a conversation of this id, that of `user`. Absent: the one that a bundle opened, or else the
   * oldest; it says nothing of who may see it.
   */
  find(
    whose: OwnerFilter,
    conversation: string,
    options: Options,
  ): Promise<ConversationRow | undefined>;
  /** The sender's conversations, newest activity first. */
  list(sender: Sender, options: { limit: number } & Options): Promise<readonly ConversationRow[]>;
  setTitle(key: number, title: string, options: Options): Promise<void>;
  /** Prompts, answers, summaries, notes and attachments by their words and meaning, best first; without either the newest. */
  search(sender: Sender, query: SnippetQuery, options: Options): Promise<readonly Snippet[]>;
  /** Turns in order, with what was said in them, and how many there are. */
  turns(sender: Sender, query: TurnQuery, options: Options): Promise<TurnPage>;
  /** What was said of answers in the sender's conversations, the newest conversation first. */
  feedback(
    sender: Sender,
    query: FeedbackQuery,
    options: Options,
  ): Promise<readonly ConversationFeedback[]>;
  /**
   * Gone for every reader when it resolves, and its owner has lost it; the same answer again. Its name stays taken. What it
   * leaves behind, `erasures` tells; what forks share with it they keep.
   */
  erase(sender: Sender, conversation: string, options: Options): Promise<EraseResult>;
  readonly erasures: Erasures;
  /**
   * Snippets whose meaning is not kept in the space yet, oldest first. They are the caller's to embed for `ttlMs`;
   * none, when there are none or somebody else is at it.
   */
  unembedded(
    space: string,
    options: { limit: number; ttlMs: number } & Options,
  ): Promise<readonly SnippetToEmbed[]>;
  /** Keeps what the claimed snippets mean, unless they were erased meanwhile, and ends the claim. */
  keepVectors(space: string, vectors: readonly SnippetVector[], options: Options): Promise<void>;
}

export type SnippetTarget = 'assistant' | 'user' | 'attachment' | 'summary' | 'notes';
/** How much each ranking counts, 0 to 2; 1 where nothing is said. */
export type RankWeights = {
  readonly semantic?: number;
  readonly lexical?: number;
  readonly recency?: number;
};
/** What part of the sender's memory is meant. Times are ISO 8601; `from` is in it, `to` is not. */
export type MemoryRange = {
  readonly targets: readonly SnippetTarget[];
  /** Absent: every conversation of the sender. */
  readonly conversation?: string;
  /** `<bundle>/<agent>`: turns on which this one worked. */
  readonly agent?: string;
  readonly from?: string;
  readonly to?: string;
  /** A turn to leave out: the one that asks. */
  readonly except?: string;
};
export type SnippetQuery = MemoryRange & {
  /** Absent: the newest snippets. */
  readonly text?: string;
  /** What the text means, in the space of one embedder. */
  readonly vector?: { readonly space: string; readonly values: readonly number[] };
  readonly weights?: RankWeights;
  readonly limit: number;
};
export type Snippet = {
  readonly conversation: string;
  readonly turn: string;
  readonly seq: number;
  readonly path: string;
  readonly target: SnippetTarget;
  readonly at: string;
  readonly text: string;
  readonly score: number;
  /** Place of the turn in its conversation, from 1, and the number of turns there; 0 for what belongs to no turn. */
  readonly ordinal: number;
  readonly turns: number;
  /** The turn did nothing but search and read what was before. */
  readonly recovery: boolean;
};
export type TurnQuery = MemoryRange & {
  readonly order: 'asc' | 'desc';
  /** These turns alone. */
  readonly only?: readonly string[];
  /** Turns to pass over. */
  readonly offset: number;
  readonly limit: number;
};
export type TurnRow = {
  readonly conversation: string;
  readonly turn: string;
  readonly at: string;
  readonly ordinal: number;
  readonly turns: number;
  readonly recovery: boolean;
  /** In order of seq, those of the wanted targets. */
  readonly snippets: readonly Pick<Snippet, 'path' | 'target' | 'at' | 'text'>[];
};
export type TurnPage = { readonly total: number; readonly rows: readonly TurnRow[] };
export type FeedbackQuery = {
  /** Absent: every conversation in which something was said. A fork has what its ancestors have only if it is named. */
  readonly conversation?: string;
  /** ISO 8601: `from` is in it, `to` is not. */
  readonly from?: string;
  readonly to?: string;
  /** Only conversations that were made before the one with this key. */
  readonly before?: number;
  /** Conversations. */
  readonly limit: number;
};
/** Every word of feedback in order of seq, also what a later one replaced; of very many the newest. */
export type ConversationFeedback = {
  readonly row: ConversationRow;
  readonly blocks: readonly Block[];
};
/** One snippet by the store's own names; `id` is its place among all. */
type SnippetKey = { readonly key: number; readonly seq: number; readonly id: number };
export type SnippetToEmbed = SnippetKey & { readonly text: string };
/** No vector: it cannot be embedded, and is not asked about again. */
export type SnippetVector = SnippetKey & { readonly vector?: readonly number[] };
