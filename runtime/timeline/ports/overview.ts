import type { ConversationKey } from '../ids.ts';
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

/** Reads over many conversations of a project. Without a user: over those of all users. */
export interface Overview {
  /** Newest activity first. `before`: continues after this conversation of the page before. */
  conversations(
    whose: OwnerFilter,
    options: { limit: number; before?: ConversationRow } & Options,
  ): Promise<readonly ConversationRow[]>;
  /** The conversations that continue from a block that this one wrote, oldest first. */
  forks(
    key: ConversationKey,
    options: { limit: number } & Options,
  ): Promise<readonly ConversationRow[]>;
  /** Conversations with an open turn, the longest without activity first. */
  working(whose: OwnerFilter, options: { limit: number } & Options): Promise<readonly WorkingRow[]>;
  usage(whose: OwnerFilter, query: UsageQuery, options: Options): Promise<readonly UsageRow[]>;
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
