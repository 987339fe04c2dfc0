import type { Json } from '../base/json.ts';
import type { Refusal } from '../base/refusal.ts';
import type { Block } from '../timeline/block.ts';
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
/** Nothing, or the no. */
type Verdict<Extra = never> = Awaitable<Refusal | Extra | undefined>;

export interface Hook {
  readonly id: string;
}

/** A guard that throws says no; a transformer that throws leaves the value as it was; an observer breaks nothing. */
export function defineHook(hook: {
  id: string;
  guard?: {
    event?(event: Incoming, ctx: Context): Verdict;
    tool?(call: ToolCall, ctx: ToolContext): Verdict<Ask>;
    completion?(completion: { readonly text: string }, ctx: TurnContext): Verdict;
    emit?(event: Outgoing, ctx: UserContext): Verdict;
  };
  transform?: {
    event?(event: Incoming, ctx: Context): Awaitable<Incoming>;
    tool?(call: ToolCall, ctx: ToolContext): Awaitable<ToolCall['input']>;
    result?(result: HookToolResult, call: ToolCall, ctx: ToolContext): Awaitable<HookToolResult>;
    completion?(
      completion: { readonly text: string },
      ctx: TurnContext,
    ): Awaitable<{ readonly text: string }>;
  };
  observe?: { block?(block: Block, ctx: Context): Awaitable<void> };
}): Hook {
  return Object.freeze({ definition: 'hook', ...hook });
}
