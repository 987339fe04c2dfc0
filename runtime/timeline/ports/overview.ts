import type { ConversationKey, Seq, TurnId } from '../ids.ts';
import type { Reaction } from '../view.ts';
import type { ConversationRow, OwnerFilter } from './conversation-row.ts';

type Options = { readonly signal: AbortSignal };

/** What usage is summed up by. `day` is a day in UTC; `agent` is `<bundle>/<agent>`. */
export const usageGroups = ['day', 'agent', 'model', 'role', 'user', 'conversation'] as const;
export type UsageGroup = (typeof usageGroups)[number];

export type UsageQuery = {
  /** ISO 8601; `from` is inclusive, `to` exclusive. */
  readonly from: string;
  readonly to: string;
  readonly by: UsageGroup;
  /** Maximum number of rows; those that cost most, or the newest days. */
  readonly limit: number;
};

/** The sum over the model calls of one group. A fork counts only its own calls. */
export type UsageRow = {
  readonly key: string;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly costUsd: number;
};

/** A conversation with an open turn. */
export type WorkingRow = {
  readonly row: ConversationRow;
  /** `running`: a worker has its lease. `parked`: it waits for a person, a client or another agent. `due`: it waits for a worker. */
  readonly state: 'running' | 'parked' | 'due';
  readonly worker?: string;
  /** Take-overs since a round was closed. */
  readonly attempts: number;
  /** When a sweep looks at it next. ISO 8601. */
  readonly dueAt?: string;
};

/** A conversation in which nothing happens, and the bundle of its last turn. Undefined: it has none. */
export type IdleRow = { readonly row: ConversationRow; readonly bundle: string | undefined };

/** By the bundle of the last turn: only this one, or none of these. */
export type IdleFilter = { readonly bundle?: string; readonly except?: readonly string[] };

/** How often the turns of one agent were rated in a period: the newest feedback of each source on each turn. */
export type RatingRow = {
  /** `<bundle>/<agent>` */
  readonly agent: string;
  readonly origin: 'user' | 'machine';
  readonly reaction: Reaction;
  readonly count: number;
};

export const conversationStates = ['working', 'waiting', 'failed', 'done'] as const;
export type ConversationState = (typeof conversationStates)[number];

/** Which conversations of a list. Absent: all. Times are ISO 8601 and mean the last activity; `from` is inclusive, `to` exclusive. */
export type ConversationFilter = {
  /** A part of the title or of the user's name, in any case, the whole id, or beginnings of words in one message, answer or file. */
  readonly text?: string;
  readonly state?: ConversationState;
  /** `<bundle>/<agent>` of the last turn. */
  readonly agent?: string;
  readonly from?: string;
  readonly to?: string;
  /** US dollars, at least; of its own model calls. */
  readonly costUsd?: number;
};

/** What a list shows beside the row. A fork counts only its own model calls. */
export type ConversationFacts = {
  readonly key: ConversationKey;
  readonly calls: number;
  readonly costUsd: number;
  /** `<bundle>/<agent>` of the last turn. */
  readonly agent: string | undefined;
  /** `waiting`: its turn is parked. `failed`: its last turn ended without an answer. */
  readonly state: ConversationState;
};

/** A message, an answer or a file of a conversation. */
export type Passage = {
  readonly key: ConversationKey;
  readonly seq: Seq;
  readonly text: string;
};

/** A turn that failed, or a call that did. */
export type FailureRow = {
  readonly conversation: string;
  readonly user: string;
  readonly title: string | undefined;
  readonly seq: Seq;
  readonly turn: TurnId;
  readonly at: string;
  /** Empty: the turn itself. */
  readonly tool: string;
  readonly code: string;
  readonly message: string;
};

/** How the calls of a tool ended. */
export type ToolRow = {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  /** From the request to the result, the mean, in milliseconds. */
  readonly ms: number;
};

type Period = { readonly from: string; readonly to: string; readonly limit: number };

/** Reads over many conversations of a project. Without a user: over those of all users. */
export interface Overview {
  /** Newest activity first. `before`: continues after this conversation of the page before. */
  conversations(
    whose: OwnerFilter,
    options: {
      limit: number;
      before?: Pick<ConversationRow, 'lastAt' | 'key'>;
      filter?: ConversationFilter;
    } & Options,
  ): Promise<readonly ConversationRow[]>;
  /** In the order of the keys. */
  facts(keys: readonly ConversationKey[], options: Options): Promise<readonly ConversationFacts[]>;
  /** Of each of these conversations, the newest passage with words that begin so; none for those without one. */
  passages(
    keys: readonly ConversationKey[],
    text: string,
    options: Options,
  ): Promise<readonly Passage[]>;
  /**
   * The conversations that continue from a block that this one wrote, and those of the same user that begin with a turn of
   * this one that was run again, oldest first.
   */
  forks(
    key: ConversationKey,
    options: { limit: number } & Options,
  ): Promise<readonly ConversationRow[]>;
  /** Conversations with an open turn, the longest without activity first. */
  working(whose: OwnerFilter, options: { limit: number } & Options): Promise<readonly WorkingRow[]>;
  usage(whose: OwnerFilter, query: UsageQuery, options: Options): Promise<readonly UsageRow[]>;
  /** The newest first; of turns that ended with an error, and of calls whose result is one. */
  failures(whose: OwnerFilter, period: Period & Options): Promise<readonly FailureRow[]>;
  /** The tools with the most failed calls first, then those with the most calls. */
  tools(whose: OwnerFilter, period: Period & Options): Promise<readonly ToolRow[]>;
  /** A fork counts only its own feedback. */
  ratings(
    whose: OwnerFilter,
    period: { from: string; to: string } & Options,
  ): Promise<readonly RatingRow[]>;
  /** Conversations without an open turn in which nothing has happened since then (ISO 8601), the longest idle first. */
  idle(
    whose: OwnerFilter,
    options: { since: string; limit: number } & IdleFilter & Options,
  ): Promise<readonly IdleRow[]>;
}
