import type { Json } from '../../base/json.ts';
import type { Refusal } from '../../base/refusal.ts';
import type { FileRef, Reaction, Source, Usage } from './values.ts';

/** A message of the user, or an event of a kind that a bundle declares. */
export type MessagePart = {
  readonly kind: 'message';
  /** `prompt`, `followup`, `steer`, or the kind of an external event. */
  readonly event: string;
  /** Its message id. */
  readonly message: string;
  readonly text: string;
  /** `seen`: the model has read it. `refused`: it was not sent, or the server refused it; `problem` is the reason. */
  readonly state: 'sending' | 'accepted' | 'seen' | 'refused';
  readonly files: readonly { readonly filename: string; readonly path?: string }[];
  readonly problem?: string;
};

/** A text that grows until it is `done`. */
type Text = { readonly text: string; readonly done: boolean; readonly round?: number };

export type TextPart = Text & { readonly kind: 'thinking' | 'note' | 'answer' };

export type ProgramPart = Text & {
  readonly kind: 'program';
  readonly language: string;
  /** The call that runs the program, once known. */
  readonly call: string;
  /** What the program printed. */
  readonly output: string;
  /** The number of calls per tool that the program has made. */
  readonly calls: Readonly<Record<string, number>>;
};

/** One version of a canvas. Canvases with the same name are versions of each other. */
export type CanvasPart = Text & {
  readonly kind: 'canvas';
  readonly name: string;
  readonly title: string;
  readonly mime: string;
};

export type ToolPart = {
  readonly kind: 'tool';
  readonly tool: string;
  readonly state: 'running' | 'waiting' | 'done' | 'failed';
  readonly progress: string;
  /** From 0 to 1, if the tool reports it. */
  readonly fraction?: number;
  readonly input: Json;
  readonly result: Json | undefined;
};

export type ApprovalPart = {
  readonly kind: 'approval';
  readonly request: string;
  readonly title: string;
  readonly detail: string;
  readonly asks: 'call' | 'tool_failure' | 'spending' | 'agent';
  /** Undefined: the question is not about a call. */
  readonly call: { readonly tool: string; readonly input: Json | undefined } | undefined;
  /** How long an approval stays valid if the decision does not say. */
  readonly remember: 'once' | 'turn' | 'conversation';
  /** ISO time. After it the request counts as denied. */
  readonly deadline: string;
  /** Empty while it is open; `allowed`, `denied`, `expired`, `interrupted`. */
  readonly outcome: string;
};

export type SecretPart = {
  readonly kind: 'secret';
  readonly bundle: string;
  /** Empty if unknown: the server knows which secrets are missing. */
  readonly id: string;
  readonly description: string;
};

export type PlanPart = {
  readonly kind: 'plan';
  /** `status` is `pending`, `in_progress`, `done` or `failed`; empty if unknown. */
  readonly steps: readonly { readonly text: string; readonly status: string }[];
};

/** One visible part of a turn. Its `key` is unique in the turn and never changes; an unchanged part stays the same object. */
export type StoryPart = { readonly key: string } & (
  | MessagePart
  | TextPart
  | ProgramPart
  | CanvasPart
  | ToolPart
  | ApprovalPart
  | SecretPart
  | PlanPart
  /** A line about what the agent does, for example about compaction. */
  | { readonly kind: 'status'; readonly text: string }
  | { readonly kind: 'files'; readonly items: readonly FileRef[] }
);

export type TurnEnd = {
  readonly reason: string;
  readonly degraded: boolean;
  /** Code and message of the error; empty unless the turn failed. */
  readonly code: string;
  readonly message: string;
  readonly usage: Usage;
  readonly at: string;
  /** Seq of the block that closed the turn. */
  readonly seq: number;
};

/** What the events of a turn say. */
export type StoryTurn = {
  readonly id: string;
  readonly bundle: string;
  readonly agent: string;
  /** Seq of the block that opened the turn: a fork at the block before it continues without the turn. */
  readonly seq: number;
  /** ISO time. */
  readonly startedAt: string;
  /** Everything visible, in order. */
  readonly parts: readonly StoryPart[];
  readonly sources: readonly Source[];
  readonly suggestions: readonly string[];
  /** The last feedback of a user. */
  readonly feedback: { readonly reaction: Reaction; readonly text: string } | undefined;
  /** Undefined while the turn is running. */
  readonly end: TurnEnd | undefined;
};

export type TurnState = StoryTurn & {
  /** The message of this turn is on its way to the server; `id` is its message id. */
  readonly pending: boolean;
  readonly failed?: Refusal;
  readonly prompt: string;
  readonly answer: string;
  readonly channels: Readonly<Record<string, string>>;
  readonly tools: readonly { call: string; tool: string; state: string }[];
  readonly files: readonly FileRef[];
};

/** Immutable: what has not changed stays the same object. */
export type ConversationState = {
  readonly status: 'idle' | 'working' | 'parked' | 'offline';
  readonly turns: readonly TurnState[];
  /** Followups and steers that are not part of a turn yet, in the order in which they were sent. */
  readonly unsent: readonly (MessagePart & { readonly key: string })[];
  /** Open approval requests, oldest first. */
  readonly approvals: readonly {
    request: string;
    title: string;
    /** Absent: the question is not about a call. */
    tool?: string;
    kind?: 'tool_failure' | 'spending' | 'agent';
    turn: string;
    detail?: string;
  }[];
};
