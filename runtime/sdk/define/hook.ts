import type { Json } from '../../base/json.ts';
import type { Refusal } from '../../base/refusal.ts';
import type { Block } from './block.ts';
import type { Ask, Awaitable, Context, ToolContext, TurnContext, UserContext } from './context.ts';

export type ToolCall = {
  readonly tool: string;
  readonly input: Readonly<Record<string, Json>>;
  readonly call: string;
};
export type HookToolResult = {
  readonly ok: boolean;
  readonly ret?: Json;
  readonly error?: { code: string; message: string; retryable: boolean };
};
export type Outgoing = { readonly type: string; readonly data?: Json };
export type Incoming = { readonly kind: string; readonly text?: string; readonly payload?: Json };
export type Completion = { readonly text: string };
/** A round before its model is asked. `hints`: lines that ANNOUNCE shows the model in this round. */
export type Reasoning = {
  readonly round: number;
  /** `answer`: a call that only writes the answer (`answer: 'synthesize'`). */
  readonly phase: 'decision' | 'finalize' | 'answer';
  readonly hints: readonly string[];
};
/** A reply of the model in a round, with what it asks for. */
export type ObservedReply = {
  readonly turn: string;
  /** `answer`: the call that writes the answer of a turn from its record. */
  readonly role: 'decision' | 'answer';
  readonly model: string;
  readonly finish: string;
  readonly actions: readonly {
    readonly kind: 'call_tool' | 'complete' | 'exit';
    readonly tool?: string;
    readonly input?: ToolCall['input'];
  }[];
};
/** A text that people see, and where: `thinking`, `timeline_text`, `code`, `canvas`, `progress` or `answer`. */
export type ShownText = { readonly turn: string; readonly marker: string; readonly text: string };
/** Undefined allows; a Refusal refuses. */
type Verdict<Extra = never> = Awaitable<Refusal | Extra | undefined>;

export interface Hook {
  readonly id: string;
}

type Body = {
  readonly id: string;
  readonly guard?: {
    event?(event: Incoming, ctx: Context): Verdict;
    reasoning?(reasoning: Reasoning, ctx: UserContext): Verdict;
    tool?(call: ToolCall, ctx: ToolContext): Verdict<Ask>;
    completion?(completion: Completion, ctx: TurnContext): Verdict;
    emit?(event: Outgoing, ctx: UserContext): Verdict;
  };
  readonly transform?: {
    event?(event: Incoming, ctx: Context): Awaitable<Incoming>;
    reasoning?(
      reasoning: Reasoning,
      ctx: UserContext,
    ): Awaitable<{ readonly hints: readonly string[] }>;
    tool?(call: ToolCall, ctx: ToolContext): Awaitable<ToolCall['input']>;
    result?(result: HookToolResult, call: ToolCall, ctx: ToolContext): Awaitable<HookToolResult>;
    completion?(completion: Completion, ctx: TurnContext): Awaitable<Completion>;
  };
  readonly observe?: {
    block?(block: Block, ctx: Context): Awaitable<void>;
    reasoning?(reply: ObservedReply, ctx: Context): Awaitable<void>;
    shown?(shown: ShownText, ctx: Context): Awaitable<void>;
  };
};
export type HookDefinition = Body & { readonly definition: 'hook' };

/** Declares a hook. A guard that throws refuses, a transformer that throws leaves the value unchanged, and an observer that throws has no effect. */
export function defineHook(hook: Body): Hook {
  return Object.freeze({ definition: 'hook', ...hook } satisfies HookDefinition);
}
