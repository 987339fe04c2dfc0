import type { Json } from '../base/json.ts';
import type { Block, CloseReason } from './block.ts';
import type { CallId, Seq, TurnId } from './ids.ts';
import type { BlockPath } from './paths.ts';
import type { SourceFacts } from './source-facts.ts';

/** The folded state of a log. Immutable for its readers; only `fold` creates it. */
export type View = {
  /** Seq of the last block folded; 0 for an empty log. */
  readonly head: Seq;
  readonly turns: readonly TurnView[];
  /** The last of `turns` while it is open. */
  readonly openTurn: TurnView | undefined;
  /** Events that arrived after the last turn and before the next one, which takes them. */
  readonly between: readonly Block[];
  /** Every plan by id, in order of creation. */
  readonly plans: readonly PlanSnapshot[];
  /** The sources pool, by sid ascending. */
  readonly sources: readonly SourceRow[];
  /** By path: the text that is rendered instead of the original. */
  readonly hidden: ReadonlyMap<BlockPath, string>;
  /** Pruned turns: the text below the header of each, instead of its blocks. */
  readonly pruned: ReadonlyMap<TurnId, string>;
  /** `fi:` paths of earlier turns that `react.pull` made available to programs. */
  readonly pulled: ReadonlySet<BlockPath>;
  /** Which tools agents see, by agent (`bundle/agent`). An agent without an entry has its default. */
  readonly visible: ReadonlyMap<string, VisibleTools>;
  /** The same when the last round was opened: a round keeps the tools that it started with. */
  readonly visibleInRound: ReadonlyMap<string, VisibleTools>;
  /** Decisions of users about tools for the whole conversation: true allows a tool, false denies it. */
  readonly toolDecisions: ReadonlyMap<string, boolean>;
  /** Feedback that no closed turn has seen: one row for each path, oldest first. */
  readonly feedback: readonly FeedbackRow[];
  /** Ids of the turns that compactions removed, in order; an empty id if the log does not name the turn. */
  readonly earlierTurns: readonly TurnId[];
  /** Precedes the first of `turns` once a compaction has removed earlier turns. */
  readonly memory: Memory | undefined;
  /** By turn: the text that replaces its first rounds after a mid-turn compaction. */
  readonly covered: ReadonlyMap<TurnId, CoveredRounds>;
};

/** What the log says about the tools that one agent sees. */
export type VisibleTools = {
  /** Groups that were switched on. */
  readonly groups: readonly string[];
  /** Tools chosen for one turn. Absent: no choice was made. */
  readonly selection?: { readonly turn: string; readonly tools: readonly string[] };
  /** Tools in the system text, which stays as it is while a cache may have it. Absent: it is made again. */
  readonly system?: readonly string[];
  /** Tools that the log itself has described since then. */
  readonly described: readonly string[];
};

export type CoveredRounds = {
  /** Number of covered rounds, counted from the first. */
  readonly rounds: number;
  readonly text: string;
  /** The summary in the text, which the next one continues. Absent in older compactions. */
  readonly progress?: string;
};

/** Summary of the turns that compactions removed from the view. Its lists are bounded, oldest first. */
export type Memory = {
  /** The path of the full text, `su:…`. */
  readonly path: string;
  /** Seq of the `view.compact` that created it. */
  readonly seq: Seq;
  /** The rendered text. */
  readonly text: string;
  readonly kept: MemoryContents;
};

/** The data behind a memory text. The next compaction adds to this data, not to the text. */
export type MemoryContents = {
  /** What happened: written by the summary model, or extracted. */
  readonly summary: string;
  /** Total number of removed turns, and the ISO times of the first and the last of them. */
  readonly count: number;
  readonly since: string;
  readonly until: string;
  /** One row for each turn, by the id of the turn. */
  readonly turns: readonly MemoryRow[];
  /** Followups, steers and other events, by path. */
  readonly events: readonly MemoryRow[];
  /** Internal notes, by path. */
  readonly notes: readonly MemoryRow[];
  readonly files: readonly MemoryRow[];
  /** Skills and knowledge that the agent read, by path. */
  readonly skills: readonly MemoryRow[];
  /** Results of calls. */
  readonly results: readonly MemoryRow[];
  /** `su:` paths of earlier memories, which contain the rows that no longer fitted into these lists. */
  readonly earlier: readonly MemoryRow[];
  /** By list: number of rows that only earlier memories contain, or that did not fit. */
  readonly more?: Readonly<Record<string, number>>;
};

/** `failed`: the call of this row failed; such rows are dropped first. */
export type MemoryRow = { readonly ref: string; readonly text: string; readonly failed?: true };

export type TurnView = {
  readonly id: TurnId;
  readonly openSeq: Seq;
  readonly openedAt: string;
  /** In a fork: where a person let the turn go on. Its time counts from there. */
  readonly resumed?: { readonly seq: Seq; readonly at: string };
  /** Data of `turn.open`: `{ bundle, agent }`. */
  readonly data: Json;
  readonly closed: { readonly reason: CloseReason; readonly seq: Seq } | undefined;
  /** `user.prompt`, `user.attachment`, `external.*`, in order of seq. */
  readonly events: readonly Block[];
  readonly rounds: readonly RoundView[];
  readonly completions: readonly Block[];
  /** Approvals that the turn itself has requested, without a call. */
  readonly approvals: readonly ApprovalView[];
  /** A model outside the rounds has read the blocks up to here, to choose tools. Absent: none has. */
  readonly consultedAsOf?: number;
  /** Latest working summary of the turn. */
  readonly summary: Block | undefined;
  /** Every block of the turn, in order of seq. A recalled event keeps its place but not its text. */
  readonly blocks: readonly Block[];
};

export type RoundView = {
  /** 1-based within the turn. */
  readonly number: number;
  readonly openSeq: Seq;
  /** The head of the log when the round was opened: the model has seen the blocks up to it. */
  readonly asOf: Seq;
  /** `decision`, or `finalize` after a steer or a spent budget. */
  readonly phase: string;
  readonly closed: boolean;
  readonly blocks: readonly Block[];
  readonly modelCall: Block | undefined;
  /** In the order of their calls. */
  readonly calls: readonly CallView[];
};

/** The request, the first decision in time, and the outcome. */
export type ApprovalView = {
  readonly request: Block;
  readonly decision?: Block;
  readonly closed?: Block;
};

export type CallView = {
  readonly call: CallId;
  readonly tool: string;
  readonly request: Block;
  readonly result: Block | undefined;
  /** The call needs the approval of a person before it runs. */
  readonly approval?: ApprovalView;
  /** The call failed, and a person decides whether the turn goes on. */
  readonly escalation?: ApprovalView;
  /** A client performs the call: the request to clients, and the first answer. */
  readonly external?: { readonly request: Block; readonly answer?: Block };
  /** Another agent works on the call, in its own conversation. */
  readonly delegated?: Block;
  /** Agents work on the steps of the call, each in its own conversation. */
  readonly plan?: PlanView;
};

/** The steps of `react.run_plan`, with one start and one result at most for each. */
export type PlanView = {
  readonly request: Block;
  readonly started: readonly Block[];
  readonly ended: readonly Block[];
};

export type StepStatus = 'pending' | 'in_progress' | 'done' | 'failed';

/** One state of one plan; each change appends a complete new snapshot. Times are ISO 8601. */
export type PlanSnapshot = {
  readonly plan_id: string;
  readonly steps: readonly string[];
  /** By 1-based step number. */
  readonly status: Readonly<Record<string, StepStatus>>;
  readonly current: boolean;
  readonly created_ts: string;
  readonly last_ts: string;
  readonly origin_turn_id: TurnId;
  readonly last_turn_id: TurnId;
  readonly closed_ts?: string;
  readonly closed_turn_id?: TurnId;
  readonly superseded_ts?: string;
  readonly superseded_turn_id?: TurnId;
  readonly superseded_by_plan_id?: string;
  readonly last_ack_turn_id?: TurnId;
  readonly last_ack_ts?: string;
};

/** A user's rating of an answer. */
export type Reaction = 'ok' | 'not_ok' | 'neutral';

export type FeedbackRow = {
  /** `ar:<turn>.feedback.<key>`; the newest block of this path counts. */
  readonly path: string;
  readonly seq: Seq;
  /** The rated turn. */
  readonly turn: TurnId;
  readonly reaction: Reaction;
  readonly text: string;
  /** Given by a bundle, and how sure it is. Absent: given by the user. */
  readonly machine?: { readonly confidence: number };
};

export type SourceRow = SourceFacts & {
  readonly sid: number;
  readonly title: string;
  readonly url: string;
  readonly text?: string;
  /** `text` is only the beginning; the log has the full text under the path of the row. */
  readonly cut?: true;
};
