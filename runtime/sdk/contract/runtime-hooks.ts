import type { Json } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import type { CallContext, Question, ToolError } from '../../tools/ports/tool.ts';
import type { Incoming } from '../define/hook.ts';

/** Where hooks are asked: `guard.tool`, `transform.result`, `observe.block`… */
export type HookPoint =
  | `guard.${'event' | 'tool' | 'completion' | 'emit'}`
  | `transform.${'event' | 'tool' | 'result' | 'completion'}`
  | 'observe.block';

/** On whose behalf hooks are asked: a call of an agent, or an event or block outside of any. */
export type HookSite =
  | { readonly kind: 'call'; readonly call: CallContext; readonly agent: string }
  | {
      readonly kind: 'event';
      readonly user: string;
      readonly conversation?: string;
      readonly signal: AbortSignal;
    };

/** What came of all hooks of one point, in their order. */
export type HookOutcome = {
  /** As the transformers made it; what was given, where none did. */
  readonly value: Json;
  /** A sentence for each hook that could not do what it is there for. */
  readonly failed: readonly string[];
  /** A guard said no, or failed. */
  readonly refusal?: ToolError;
  /** A guard wants a person to decide. */
  readonly ask?: Question;
};

/** Runs the hooks of one bundle, wherever its code is. */
export interface HookRunner {
  /** Where any hook has something to say, and how many have. */
  readonly points: ReadonlyMap<HookPoint, number>;
  /** A hook that fails is in the outcome; rejects with the reason of the site's signal, or because nobody could be asked. */
  run(point: HookPoint, subject: Json, site: HookSite): Promise<HookOutcome>;
}

export type HookAdmission<T> =
  | { readonly ok: true; readonly value: T; readonly failed: readonly string[] }
  | { readonly ok: false; readonly error: ToolError; readonly failed: readonly string[] };

/** The hooks of a bundle as the engine and the door ask them. What is absent has no hook. */
export type RuntimeHooks = {
  /** Before an event is written down. `fits`: whether what a transformer made of it may be one. */
  readonly event?: (
    event: Incoming,
    asking: {
      readonly user: string;
      readonly conversation?: string;
      readonly signal: AbortSignal;
      readonly fits?: (event: Incoming) => boolean;
    },
  ) => Promise<HookAdmission<Incoming>>;
  /** Before an answer is written down and shown. */
  readonly completion?: (
    text: string,
    asking: { readonly call: CallContext; readonly agent: string },
  ) => Promise<HookAdmission<string>>;
  /** Returns at once, whatever observers make of it. */
  readonly observe?: (block: Block, whose: { readonly user: string }) => void;
};
