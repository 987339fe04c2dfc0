import type { z } from 'zod';
import type { AnyTool } from './context.ts';
import type { ModelChoice, RoleName } from './model.ts';
import type { ToolPattern } from './tool.ts';

/** Plain options: what an agent, an operator's descriptor or the installation may say. */
export type AgentOptions = {
  readonly models?: Partial<Record<RoleName, ModelChoice>>;
  readonly protocol?: 'auto' | 'channels' | 'native-tools' | 'json' | 'plain';
  readonly budgets?: {
    rounds?: number;
    tokens?: number;
    costUsd?: number;
    wallMs?: number;
    actionsPerRound?: number;
  };
  readonly policies?: {
    multiAction?: 'off' | 'safe_fanout';
    malformed?: 'degrade' | 'fail';
    /** Plain text without a decision is the answer: at the first try, at the second in a row, or never. */
    prose?: 'first' | 'second' | 'never';
    toolFailure?: 'continue' | 'fail';
    exhausted?: 'finalize' | 'close';
    hiddenTool?: 'refuse' | 'allow';
    /** After a steer: two rounds of control tools to finish in, or the rounds that were left. Default: `finalize`. */
    steer?: 'finalize' | 'redirect';
  };
  readonly context?: {
    maxTokens?: number;
    recentTurns?: number;
    intactTurns?: number;
    ttlMs?: number;
  };
  readonly exec?: {
    languages?: readonly ('python' | 'javascript')[];
    timeoutMs?: number;
    memoryMb?: number;
    fileMb?: number;
  };
  readonly answer?: 'inline' | 'synthesize' | 'auto';
};

export interface Agent<O = unknown, T = unknown> {
  readonly id: string;
  readonly '~output'?: O;
  /** Its tools. */
  readonly '~tools'?: T;
}

export type ToolGroup = {
  readonly description: string;
  readonly tools: Tools;
  readonly active?: boolean;
};

type Tools = readonly (AnyTool | ToolPattern)[];
type Groups = Readonly<Record<string, ToolGroup>>;

export type ChannelFormat = 'markdown' | 'text' | 'json' | 'html';

type AgentBody<T = Tools, G = Groups> = {
  readonly id: string;
  readonly instruction: string | { readonly file: string };
  /** Yours as values; built-in ones by id or pattern. */
  readonly tools?: T;
  readonly groups?: G;
  /** Ids or patterns; default: all of the bundle. */
  readonly skills?: readonly string[];
  readonly channels?: readonly {
    id: string;
    format: ChannelFormat;
    description: string;
    schema?: z.ZodType;
  }[];
};

export type AgentDefinition = AgentOptions &
  AgentBody & { readonly definition: 'agent'; readonly output?: z.ZodType };

/** Who answers: an instruction, the tools it sees, and how far it may go. */
export function defineAgent<
  O extends z.ZodType = z.ZodType<undefined>,
  const T extends Tools = readonly [],
  const G extends Groups = Readonly<Record<never, never>>,
>(
  agent: AgentOptions &
    AgentBody<T, G> & {
      /** The completion carries a value of this schema, checked. */
      readonly output?: O;
    },
): Agent<z.output<O>, T[number] | G[keyof G]['tools'][number]> {
  return Object.freeze({ definition: 'agent', ...agent } satisfies AgentDefinition);
}

/** Sets of options to start from; whatever stands after the spread wins. */
export const starters: {
  readonly balanced: AgentOptions;
  readonly minimal: AgentOptions;
  readonly long: AgentOptions;
  readonly debug: AgentOptions;
} = {
  balanced: { policies: { multiAction: 'safe_fanout' } },
  minimal: { budgets: { rounds: 5, actionsPerRound: 1 }, context: { maxTokens: 40_000 } },
  long: {
    policies: { multiAction: 'safe_fanout' },
    budgets: { rounds: 40, wallMs: 3_600_000 },
    context: { maxTokens: 160_000, recentTurns: 10 },
  },
  debug: { policies: { malformed: 'fail', toolFailure: 'fail', exhausted: 'close' } },
};
