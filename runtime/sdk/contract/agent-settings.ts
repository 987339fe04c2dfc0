import type { Json, JsonObject } from '../../base/json.ts';
import type { KnowledgeSpace } from '../../tools/ports/knowledge.ts';
import type { Language } from '../../tools/ports/sandbox.ts';
import type { Tool } from '../../tools/ports/tool.ts';
import type { ChannelFormat } from '../define/agent.ts';
import type { ModelChoice, RoleName } from '../define/model.ts';
import type { RuntimeHooks } from './runtime-hooks.ts';

export type Budgets = {
  readonly rounds: number;
  /** Input and output of every model call of the turn. Absent: unlimited. */
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly wallMs: number;
  readonly actionsPerRound: number;
};

export type Policies = {
  readonly multiAction: 'off' | 'safe_fanout';
  readonly malformed: 'degrade' | 'fail';
  readonly prose: 'first' | 'second' | 'never';
  readonly toolFailure: 'continue' | 'fail';
  readonly exhausted: 'finalize' | 'close';
  readonly hiddenTool: 'refuse' | 'allow';
  /** After a steer: a short bounded end, or a redirection with all the rounds that were left. */
  readonly steer: 'finalize' | 'redirect';
};

export type ContextLimits = {
  readonly maxTokens: number;
  readonly recentTurns: number;
  readonly intactTurns: number;
  readonly ttlMs: number;
};

export type ExecSettings = {
  /** Empty: this agent writes no programs. */
  readonly languages: readonly Language[];
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly fileMb: number;
};

export type DeclaredChannel = {
  readonly id: string;
  readonly format: ChannelFormat;
  readonly description: string;
  /** Of the channel's JSON, where the bundle gave one. */
  readonly schema?: JsonObject;
};

export type OutputViolation = { readonly path: string; readonly message: string };
export type OutputSchema = {
  readonly schema: JsonObject;
  parse(
    value: Json,
  ):
    | { readonly ok: true; readonly value: Json }
    | { readonly ok: false; readonly violations: readonly OutputViolation[] };
};

/** A skill as the model may read it. `id` is `<bundle>.<name>`; its path is `sk:` and the id. */
export type SkillEntry = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The body, and what its side files add to it. */
  readonly text: string;
  /** Kept out of the catalogue; still readable by who knows its path. */
  readonly hidden: boolean;
  /** Join the sources pool when the skill is read. */
  readonly sources: readonly SkillSource[];
  /** A file below `references/`, `scripts/` or `assets/`. Undefined: there is none. */
  file(relative: string): Promise<SkillFile | undefined>;
};
export type SkillSource = {
  /** The number under which the text of the skill cites it; without one, its place in the list, from 1. */
  readonly sid?: number;
  readonly url: string;
  readonly title: string;
  readonly text?: string;
};
export type SkillFile = { readonly mime: string; readonly bytes: Uint8Array };

/** An agent in the full form the engine runs: every default filled in, every name resolved. */
export type AgentSettings = {
  readonly id: string;
  readonly bundle: string;
  readonly revision: string;
  readonly instruction: string;
  /** The one visible set: what the catalogue shows is what may run. */
  readonly tools: readonly Tool[];
  /** Ids in groups that are switched off. */
  readonly inactiveTools: readonly string[];
  readonly skills: readonly SkillEntry[];
  /** Of its bundle; those at tools are around `tools` already. */
  readonly hooks?: RuntimeHooks;
  /** Where it looks things up, if its bundle has such. */
  readonly knowledge?: KnowledgeSpace;
  /** What the model is told for as long as it is so: servers of tools that are out of reach. */
  readonly notices?: readonly string[];
  /** `provider:model` by role; an unset role uses `decision`, an unset `decision` the installation's. */
  readonly models: Readonly<Partial<Record<RoleName, ModelChoice>>>;
  readonly budgets: Budgets;
  readonly policies: Policies;
  readonly context: ContextLimits;
  readonly exec: ExecSettings;
  readonly protocol: 'auto' | 'channels' | 'native-tools' | 'json' | 'plain';
  readonly answer: 'inline' | 'synthesize' | 'auto';
  readonly channels: readonly DeclaredChannel[];
  readonly output?: OutputSchema;
};

/** What stands where nobody said anything else. */
export const agentDefaults = {
  models: {},
  budgets: { rounds: 15, wallMs: 600_000, actionsPerRound: 2 },
  policies: {
    multiAction: 'off',
    malformed: 'degrade',
    prose: 'second',
    toolFailure: 'continue',
    exhausted: 'finalize',
    hiddenTool: 'refuse',
    steer: 'finalize',
  },
  context: { maxTokens: 80_000, recentTurns: 6, intactTurns: 1, ttlMs: 300_000 },
  exec: { languages: ['python', 'javascript'], timeoutMs: 60_000, memoryMb: 512, fileMb: 64 },
  protocol: 'auto',
  answer: 'inline',
} as const satisfies Partial<AgentSettings>;
