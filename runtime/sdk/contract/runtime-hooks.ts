import type { Json } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import type { CallContext, Question, ToolError } from '../../tools/ports/tool.ts';
import type { Incoming, Reasoning } from '../define/hook.ts';

/** Where hooks run: `guard.tool`, `transform.result`, `observe.block`… */
export type HookPoint =
  | `guard.${'event' | 'reasoning' | 'tool' | 'completion' | 'emit'}`
  | `transform.${'event' | 'reasoning' | 'tool' | 'result' | 'completion'}`
  | `observe.${'block' | 'reasoning' | 'shown'}`;

/** What hooks run for: an agent's call, or an event or block outside of any call. */
export type HookSite =
  | { readonly kind: 'call'; readonly call: CallContext; readonly agent: string }
  | {
      readonly kind: 'event';
      readonly user: string;
      readonly conversation?: string;
      /** The agent whose turn it is. Its own hooks run too. */
      readonly agent?: string;
      readonly signal: AbortSignal;
    };

/** The combined outcome of all hooks of one point, run in order. */
export type HookOutcome = {
  /** The value after all transformers; the given value if none changed it. */
  readonly value: Json;
  /** One sentence per hook that failed. */
  readonly failed: readonly string[];
  /** A guard refused or failed. */
  readonly refusal?: ToolError;
  /** A guard requests a person's decision. */
  readonly ask?: Question;
};

export type HookCounts = ReadonlyMap<HookPoint, number>;

/** Runs the hooks of one bundle and of its agents, in the process that holds its code. */
export interface HookRunner {
  /** The points that have hooks, and how many. */
  readonly points: HookCounts;
  /** Those of the bundle and of this agent. */
  pointsOf(agent: string): HookCounts;
  /** A failed hook is reported in the outcome. Rejects with the reason of the site's signal, or if the hooks could not be run. */
  run(point: HookPoint, subject: Json, site: HookSite): Promise<HookOutcome>;
}

export type HookAdmission<T> =
  | { readonly ok: true; readonly value: T; readonly failed: readonly string[] }
  | { readonly ok: false; readonly error: ToolError; readonly failed: readonly string[] };

/** Before an event is stored, whichever agent it is for. `fits`: whether a transformed event is acceptable. */
export type AdmitEvent = (
  event: Incoming,
  asking: {
    readonly user: string;
    readonly conversation?: string;
    readonly signal: AbortSignal;
    readonly fits?: (event: Incoming) => boolean;
  },
) => Promise<HookAdmission<Incoming>>;

/** The hooks of a bundle and of one of its agents, as the engine calls them. An absent member means no hook. */
export type RuntimeHooks = {
  /** Before a model is asked: the lines that ANNOUNCE shows it. */
  readonly reasoning?: (
    reasoning: Reasoning,
    asking: { readonly user: string; readonly conversation: string; readonly signal: AbortSignal },
  ) => Promise<HookAdmission<readonly string[]>>;
  /** Before an answer is stored and shown. */
  readonly completion?: (
    text: string,
    asking: { readonly call: CallContext; readonly agent: string },
  ) => Promise<HookAdmission<string>>;
  /** Returns immediately, without waiting for observers. */
  readonly observe?: (block: Block, whose: { readonly user: string }) => void;
};
