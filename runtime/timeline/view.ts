import type { Json } from '../base/json.ts';
import type { Block, CloseReason } from './block.ts';

/** What the log says, folded. Immutable to its readers; made only by `fold`. */
export type View = {
  /** Seq of the last block folded; 0 for an empty log. */
  readonly head: number;
  readonly turns: readonly TurnView[];
  /** The last of `turns`, while it is open. */
  readonly openTurn: TurnView | undefined;
  /** Every plan by id, in order of creation. */
  readonly plans: readonly PlanSnapshot[];
  /** The sources pool, by sid ascending. */
  readonly sources: readonly SourceRow[];
  /** Paths that now render as something else: what renders instead. */
  readonly hidden: ReadonlyMap<string, string>;
  /** Turns that were pruned: the text that stands below the header of each, instead of its blocks. */
  readonly pruned: ReadonlyMap<string, string>;
  /** `fi:` paths of earlier turns that `react.pull` made available to programs. */
  readonly pulled: ReadonlySet<string>;
  /** Tools of which somebody has said, for the whole conversation, that they may run, or may not. */
  readonly toolDecisions: ReadonlyMap<string, boolean>;
  /** What people said of answers and no turn that is over was shown: one row for each path, oldest first. */
  readonly feedback: readonly FeedbackRow[];
  /** Ids of the turns that compactions have taken away, in order; empty where the log does not say which it was. */
  readonly earlierTurns: readonly string[];
  /** What stands before the first of `turns`, once a compaction has taken earlier ones away. */
  readonly memory: Memory | undefined;
  /** Turns whose first rounds were compacted in mid-turn: what renders instead of them. */
  readonly covered: ReadonlyMap<string, CoveredRounds>;
};

export type CoveredRounds = {
  /** So many rounds, from the first. */
  readonly rounds: number;
  readonly text: string;
};

/** The turns that compactions have taken out of the view, in short. Lists are bounded, oldest first. */
export type Memory = {
  /** Under which the text can be read, `su:…`. */
  readonly path: string;
  /** Seq of the `view.compact` that made it. */
  readonly seq: number;
  /** As it renders. */
  readonly text: string;
  readonly kept: MemoryContents;
};

/** What a memory text is made from, so that the next compaction adds to it instead of to its words. */
export type MemoryContents = {
  /** What was going on: by the summary model, or extracted. */
  readonly summary: string;
  /** Turns taken away in all, and ISO times from the first to the last of them. */
  readonly count: number;
  readonly since: string;
  readonly until: string;
  /** One row a turn, by the turn's id. */
  readonly turns: readonly MemoryRow[];
  /** Followups, steers and other events, by path. */
  readonly events: readonly MemoryRow[];
  /** Internal notes, by path. */
  readonly notes: readonly MemoryRow[];
  readonly files: readonly MemoryRow[];
  /** Skills and knowledge that were read, by path. */
  readonly skills: readonly MemoryRow[];
  /** Results of calls. */
  readonly results: readonly MemoryRow[];
  /** `su:` paths of earlier memories that hold what these lists had no more room for. */
  readonly earlier: readonly MemoryRow[];
  /** By list: rows that only earlier memories have, or that there was no room for. */
  readonly more?: Readonly<Record<string, number>>;
};

/** `failed`: the row of a call that failed, the first to go as the room ends. */
export type MemoryRow = { readonly ref: string; readonly text: string; readonly failed?: true };

export type TurnView = {
  readonly id: string;
  readonly openSeq: number;
  readonly openedAt: string;
  /** Data of `turn.open`: `{ bundle, agent }`. */
  readonly data: Json;
  readonly closed: { readonly reason: CloseReason; readonly seq: number } | undefined;
  /** `user.prompt`, `user.attachment`, `external.*`, in order of seq. */
  readonly events: readonly Block[];
  readonly rounds: readonly RoundView[];
  readonly completions: readonly Block[];
  /** Latest working summary of the turn. */
  readonly summary: Block | undefined;
  /** Every block of the turn, in order of seq. What was taken back holds its place without its words. */
  readonly blocks: readonly Block[];
};

export type RoundView = {
  /** 1-based within the turn. */
  readonly number: number;
  readonly openSeq: number;
  /** What the model had seen: the head when the round was opened. */
  readonly asOf: number;
  /** `decision`, or `finalize` after a steer or a spent budget. */
  readonly phase: string;
  readonly closed: boolean;
  readonly blocks: readonly Block[];
  readonly modelCall: Block | undefined;
  /** In the order of their calls. */
  readonly calls: readonly CallView[];
};

export type CallView = {
  readonly call: string;
  readonly tool: string;
  readonly request: Block;
  readonly result: Block | undefined;
  /** A person is asked before it starts: the request, the first decision in time, and what came of it. */
  readonly approval?: {
    readonly request: Block;
    readonly decision?: Block;
    readonly closed?: Block;
  };
  /** A client performs it: what was asked of clients, and the first answer. */
  readonly external?: { readonly request: Block; readonly answer?: Block };
  /** Another agent works on it, in a conversation of its own. */
  readonly delegated?: Block;
};

export type StepStatus = 'pending' | 'in_progress' | 'done' | 'failed';

/** One state of one plan lineage; each change appends a whole new one. Times are ISO 8601. */
export type PlanSnapshot = {
  readonly plan_id: string;
  readonly steps: readonly string[];
  /** By 1-based step number. */
  readonly status: Readonly<Record<string, StepStatus>>;
  readonly current: boolean;
  readonly created_ts: string;
  readonly last_ts: string;
  readonly origin_turn_id: string;
  readonly last_turn_id: string;
  readonly closed_ts?: string;
  readonly closed_turn_id?: string;
  readonly superseded_ts?: string;
  readonly superseded_turn_id?: string;
  readonly superseded_by_plan_id?: string;
  readonly last_ack_turn_id?: string;
  readonly last_ack_ts?: string;
};

/** What a person thinks of an answer. */
export type Reaction = 'ok' | 'not_ok' | 'neutral';

export type FeedbackRow = {
  /** `ar:<turn>.feedback.<key>`; the newest block of it counts. */
  readonly path: string;
  readonly seq: number;
  /** The turn that is meant. */
  readonly turn: string;
  readonly reaction: Reaction;
  readonly text: string;
};

export type SourceRow = {
  readonly sid: number;
  readonly title: string;
  readonly url: string;
  readonly text?: string;
  /** `text` is only the beginning; the whole is in the log, under the path of the row. */
  readonly cut?: true;
};
