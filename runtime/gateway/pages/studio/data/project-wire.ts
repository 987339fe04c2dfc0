import type { EvalReport } from '../../../ports/eval-reports.ts';
import type { ObjectSchema } from '../../shared/schema-form/object-schema.ts';
import type { ConversationItem, Usage } from './wire.ts';

/** The parts of the answers about a project that the studio shows; docs/reference/workbench.md describes them. */
export type UsageGroup = Usage & { readonly key: string; readonly calls: number };
export type WorkingItem = ConversationItem & {
  readonly state: 'running' | 'parked' | 'due';
  readonly worker?: string;
  readonly attempts: number;
};

export type FailureItem = {
  readonly conversation_id: string;
  readonly user: string;
  readonly seq: number;
  readonly at: string;
  /** Absent: the turn itself. */
  readonly tool?: string;
  readonly code: string;
  readonly message: string;
};
export type RatingItem = {
  readonly conversation_id: string;
  readonly user: string;
  readonly title: string;
  readonly turn: string;
  readonly at: string;
  readonly reaction: 'ok' | 'not_ok' | 'neutral';
  readonly origin: 'user' | 'machine';
  readonly text: string;
  readonly prompt: string;
  readonly answer: string;
};
export type ToolUsage = {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  readonly ms: number;
};
type Room = { readonly limit: number; readonly left: number };
export type BudgetItem = {
  readonly of: 'user' | 'tenant';
  readonly per: 'day' | 'month';
  readonly cost_usd?: Room;
  readonly tokens?: Room;
};

/** What `verify` and `replay` find. */
export type CheckResult = {
  readonly blocks?: number;
  readonly problems?: readonly {
    readonly code: string;
    readonly seq: number;
    readonly text: string;
  }[];
  readonly prompts?: number;
  readonly replies?: number;
  readonly divergence?: { readonly seq: number; readonly type: string; readonly field: string };
};

/** The newest cases of a folder; `omitted` more are not listed. */
export type EvalItem = EvalReport & { readonly omitted: number };
export type EvalCaseItem = EvalItem['cases'][number];

export type ToolItem = {
  readonly id: string;
  readonly description: string;
  readonly parameters: ObjectSchema;
  readonly effects: string;
  readonly kind: string;
  readonly unavailable?: string;
  readonly can_try: boolean;
};
export type AgentItem = {
  readonly id: string;
  readonly instruction: string;
  readonly protocol: string;
  readonly models: Readonly<Record<string, string>>;
  readonly budgets: { readonly rounds: number; readonly wall_ms: number };
  readonly notices: readonly string[];
  readonly tools: readonly ToolItem[];
  readonly skills: readonly {
    readonly id: string;
    readonly name: string;
    readonly description: string;
  }[];
};
export type BundleItem = {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  readonly widgets: readonly { readonly id: string; readonly title: string }[];
  readonly agents: readonly AgentItem[];
};
