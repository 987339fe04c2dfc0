import type { z } from 'zod';
import type { AnyTool, Awaitable, UserContext } from './context.ts';
import type { Hook } from './hook.ts';
import type { ModelChoice, RoleName } from './model.ts';
import type { ToolPattern } from './tool.ts';

/** Plain options that an agent, an operator's descriptor or the installation may set. */
export type AgentOptions = {
  readonly models?: Partial<Record<RoleName, ModelChoice>>;
  /** Models that users may choose for a turn instead of `models.decision`: up to 20. Default: none. */
  readonly modelChoices?: readonly ModelChoice[];
  /** How the model writes its replies. Default: `auto`, what the model supports best. */
  readonly protocol?: 'auto' | 'channels' | 'native-tools' | 'json' | 'plain';
  readonly budgets?: {
    rounds?: number;
    tokens?: number;
    costUsd?: number;
    wallMs?: number;
    actionsPerRound?: number;
  };
  readonly policies?: {
    /**
     * Which actions of one reply run. `off`: one, and a second one is a violation. `first_only`: the first one. `safe_fanout`:
     * several, if the traits of their tools allow it. `bundle`: all calls in order, at most eight. With `first_only` and
     * `bundle`, and always with native tools, the model reads that the other calls were not executed. Default: `bundle`
     * with native tools, else `off`.
     */
    multiAction?: 'off' | 'first_only' | 'safe_fanout' | 'bundle';
    /**
     * A reply without a usable decision: `degrade` lets the model repair it twice in a row, then its text becomes the answer,
     * marked as degraded; `{ repair: n }` does the same after n repairs; `fail` fails the turn at once.
     */
    malformed?: 'degrade' | 'fail' | { repair: number };
    /** When plain text without a decision counts as the answer: the first time, the second time in a row, or never. */
    prose?: 'first' | 'second' | 'never';
    /**
     * After a failed call: the model reads the error, the turn fails, or a person decides which of the two. `onFailure` of a
     * tool wins.
     */
    toolFailure?: 'continue' | 'fail' | 'escalate';
    exhausted?: 'finalize' | 'close';
    hiddenTool?: 'refuse' | 'allow';
    /**
     * A call of an `external` tool: `park` waits for the result of a client. `hand_off` closes the turn as `handed_off`, with the
     * call and its input, and the caller continues with its next message. Default: `park`.
     */
    externalTools?: 'park' | 'hand_off';
    /** After a steer: two rounds of control tools, or all rounds once the model plans more work; or all remaining rounds. Default: `finalize`. */
    steer?: 'finalize' | 'redirect';
    /**
     * `once`: before an answer is shown, the model of the role `small` checks it against the work. If something is missing, the
     * model reads what, and answers once more. Not with `answer: 'synthesize'`. Default: `never`.
     */
    verify?: 'never' | 'once';
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
    /** Processes and threads of a program. */
    pids?: number;
    /** Processors; may be a fraction. */
    cpus?: number;
    /** The sandbox for these programs, among those that the operator allows. Default: the installation's own. */
    mode?: 'docker' | 'process' | 'fargate';
    /** An image with Node and Python, among those that the operator allows; it requires Docker. */
    image?: string;
  };
  /**
   * What the model sees of the conversation: a log in one message, or messages in turn with its own earlier replies. Default:
   * `auto`, the form that suits the model.
   */
  readonly promptForm?: 'auto' | 'text' | 'messages';
  readonly answer?: 'inline' | 'synthesize' | 'auto';
  /**
   * Facts that outlive conversations. `agent`: the model records and retrieves them with `memory.record` and
   * `memory.retrieve`. `static`: facts that suit a prompt are in it from the first round on, and each turn is recorded after
   * its end. `both`: the two together. Default: `off`.
   */
  readonly memory?: {
    mode?: 'agent' | 'static' | 'both' | 'off';
    /**
     * Whose facts are retrieved: those of the user, of the agent for all its users, of the whole tenant. Turns are recorded
     * in the first scope. Default: `['user']`.
     */
    scopes?: readonly ('user' | 'agent' | 'tenant')[];
    /** Facts in a prompt. Default: 8. */
    limit?: number;
  };
  /** Agents that work for this one: in the steps of `react.run_plan`, and through tools that delegate. */
  readonly delegation?: {
    /** Offers `react.run_plan`, which runs agents side by side on the steps of a plan. Default: false. */
    plans?: boolean;
    /** How many levels of agents may work below this one: 1 to 3. Default: 1. */
    depth?: number;
    /** Steps of a plan that run at the same time: 1 to 8. Default: 3. */
    sideBySide?: number;
    /** Time limit of one step. Default: 600,000. */
    stepMs?: number;
    /** After the last step, the model of the role `small` checks whether the steps did what was asked for. Default: true. */
    verify?: boolean;
    /** Agents of other bundles that steps may name, as `bundle/agent`. Agents of its own bundle need no entry. */
    agents?: readonly string[];
    /** Other bundles whose agents may delegate to this one; `*` stands for all. Default: none. */
    from?: readonly string[];
  };
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

/** An agent program that the operator has installed, and what this bundle gives it. */
export type ExternalAgentOptions = {
  /** Its name under `agents` in assembly.yaml. */
  readonly program: string;
  /** Folder of the bundle whose files every new workspace contains, such as `.mcp.json`. */
  readonly workspace?: string;
  /** Hosts that the program may reach, out of those that the operator allows. Default: only its model. */
  readonly egress?: readonly string[];
};

type AgentBody<T = Tools, G = Groups> = {
  readonly id: string;
  /** Who does the work: the loop of this runtime, or the agent program that `external` names. Default: `loop`. */
  readonly runtime?: 'loop' | 'external';
  readonly external?: ExternalAgentOptions;
  /** With `runtime: 'external'`, it is written to AGENTS.md, CLAUDE.md and GEMINI.md of the workspace. */
  readonly instruction: string | { readonly file: string };
  /** Your own tools as values; built-in tools by id or pattern. */
  readonly tools?: T;
  readonly groups?: G;
  /** Ids or patterns. Default: all skills of the bundle. */
  readonly skills?: readonly string[];
  readonly channels?: readonly {
    id: string;
    format: ChannelFormat;
    description: string;
    schema?: z.ZodType;
  }[];
  /** Hooks for the turns of this agent alone; they run after those of the bundle. They have no place `event`. */
  readonly hooks?: readonly Hook[];
  /** Messages that the chat page offers in a new conversation: up to 6, of up to 200 characters. */
  readonly firstMessages?: readonly string[];
  /** A line that ANNOUNCE shows the model in every round, or a function of the user that returns it. */
  readonly hint?: string | ((ctx: UserContext) => Awaitable<string | undefined>);
};

export type AgentDefinition = AgentOptions &
  AgentBody & { readonly definition: 'agent'; readonly output?: z.ZodType };

/** Declares an agent: its instruction, the tools it sees, and its limits. */
export function defineAgent<
  O extends z.ZodType = z.ZodType<undefined>,
  const T extends Tools = readonly [],
  const G extends Groups = Readonly<Record<never, never>>,
>(
  agent: AgentOptions &
    AgentBody<T, G> & {
      /** Schema of the structured output. The completion carries a validated value. */
      readonly output?: O;
    },
): Agent<z.output<O>, T[number] | G[keyof G]['tools'][number]> {
  return Object.freeze({ definition: 'agent', ...agent } satisfies AgentDefinition);
}
