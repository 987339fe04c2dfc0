import type { Json, JsonObject } from '../../base/json.ts';
import type { MultiAction } from '../../channels/reply/rules.ts';
import type { KnowledgeSpace } from '../../tools/ports/knowledge.ts';
import type { MemoryScope } from '../../tools/ports/long-term-memory.ts';
import type { Language } from '../../tools/ports/sandbox.ts';
import type { SandboxPlace } from '../../tools/ports/sandbox-place.ts';
import type { Tool } from '../../tools/ports/tool.ts';
import type { ToolGroup } from '../../tools/ports/tool-group.ts';
import type { ChannelFormat } from '../define/agent.ts';
import type { ModelChoice, RoleName } from '../define/model.ts';
import type { SkillArgument } from '../define/skill.ts';
import type { RuntimeHooks } from './runtime-hooks.ts';

export type Budgets = {
  readonly rounds: number;
  /** Input and output of every model call of the turn. Absent: unlimited. */
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly wallMs: number;
  /** Absent: the default of the multi-action mode. */
  readonly actionsPerRound?: number;
};

/**
 * What follows a reply without a usable decision. `degrade`: the model repairs it twice in a row, then its text becomes the
 * answer, marked as degraded. `{ repair: n }`: the same after n repairs. `fail`: the turn fails at once.
 */
export type Malformed = 'degrade' | 'fail' | { readonly repair: number };

export type Policies = {
  /** Absent: `bundle` with native tools, otherwise `off`. */
  readonly multiAction?: MultiAction;
  readonly malformed: Malformed;
  readonly prose: 'first' | 'second' | 'never';
  /** `escalate`: a person decides whether the turn goes on. A tool may have its own policy. */
  readonly toolFailure: 'continue' | 'fail' | 'escalate';
  readonly exhausted: 'finalize' | 'close';
  readonly hiddenTool: 'refuse' | 'allow';
  /** What a call of an `external` tool does: the turn waits for the client, or closes as `handed_off` with the call. */
  readonly externalTools: 'park' | 'hand_off';
  /** After a steer: a short bounded end, or a redirection with all the rounds that were left. */
  readonly steer: 'finalize' | 'redirect';
  /** `once`: a second model call checks the answer before anybody sees it, and the model may answer once more. */
  readonly verify?: 'never' | 'once';
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
  readonly pids?: number;
} & SandboxPlace;

/** How an agent uses the long-term memory. */
export type MemorySettings = {
  readonly mode: 'agent' | 'static' | 'both' | 'off';
  /** Not empty. Turns are recorded in the first one. */
  readonly scopes: readonly MemoryScope[];
  /** Facts in a prompt. */
  readonly limit: number;
};

/** Agents that work for an agent. */
export type DelegationSettings = {
  /** `react.run_plan` is offered. */
  readonly plans: boolean;
  /** Levels of agents below this one. */
  readonly depth: number;
  readonly sideBySide: number;
  readonly stepMs: number;
  readonly verify: boolean;
  /** `bundle/agent` */
  readonly agents: readonly string[];
  /** Ids of bundles, or `*`. */
  readonly from: readonly string[];
};

export type DeclaredChannel = {
  readonly id: string;
  readonly format: ChannelFormat;
  readonly description: string;
  /** Schema of the channel's JSON, if the bundle declares one. */
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
  /** The body, plus what its side files add. */
  readonly text: string;
  /** What clients get as a prompt. Its placeholders are filled in with the arguments. */
  readonly prompt: { readonly text: string; readonly arguments: readonly SkillArgument[] };
  /** Not listed in the catalogue, but readable by its path. */
  readonly hidden: boolean;
  /** Added to the sources pool when the skill is read. */
  readonly sources: readonly SkillSource[];
  /** A file below `references/`, `scripts/` or `assets/`. Undefined if it does not exist. */
  file(relative: string): Promise<SkillFile | undefined>;
};
export type SkillSource = {
  /** The number by which the skill's text cites the source. Default: its position in the list, from 1. */
  readonly sid?: number;
  readonly url: string;
  readonly title: string;
  readonly text?: string;
};
export type SkillFile = { readonly mime: string; readonly bytes: Uint8Array };

/** A file that an agent program finds in its workspace. */
export type WorkspaceSeed = { readonly path: string; readonly bytes: Uint8Array };

/** An agent program of the installation, and what its bundle gives it. */
export type ExternalProgram = {
  /** Its name in the settings of the installation. */
  readonly program: string;
  readonly files: readonly WorkspaceSeed[];
  /** Hosts that it may reach, out of those that the installation allows. */
  readonly egress: readonly string[];
  /** The servers of `.mcp.json`. */
  readonly mcpServers: readonly ProgramMcpServer[];
};

/** An MCP server that an agent program starts or reaches from its sandbox. Texts may contain `${NAME}` or `${NAME:-default}`. */
export type ProgramMcpServer = { readonly name: string } & (
  | {
      readonly type: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'http' | 'sse';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    }
);

/** An agent in the full form that the engine runs: all defaults filled in, all names resolved. */
export type AgentSettings = {
  readonly id: string;
  readonly bundle: string;
  readonly revision: string;
  readonly instruction: string;
  /** All tools, sorted by id. The log decides which of them are visible (`tools/visibility`). */
  readonly tools: readonly Tool[];
  readonly groups: readonly ToolGroup[];
  readonly skills: readonly SkillEntry[];
  /** Messages that the chat page offers in a new conversation. */
  readonly firstMessages?: readonly string[];
  /** A line that ANNOUNCE shows in every round. */
  readonly hint?: string;
  /** Hooks of its bundle and its own. Tool hooks already wrap `tools`. */
  readonly hooks?: RuntimeHooks;
  /** Knowledge to search, if its bundle has any. */
  readonly knowledge?: KnowledgeSpace;
  /** Notices for the model that stay while they apply, such as unreachable tool servers. */
  readonly notices?: readonly string[];
  /** `provider:model` by role. An unset role uses `decision`; an unset `decision` uses the installation's model. */
  readonly models: Readonly<Partial<Record<RoleName, ModelChoice>>>;
  /** Models that a message may name for the turn that it opens. */
  readonly modelChoices?: readonly ModelChoice[];
  readonly budgets: Budgets;
  readonly policies: Policies;
  readonly context: ContextLimits;
  readonly exec: ExecSettings;
  readonly delegation: DelegationSettings;
  /** The role whose model decides: `decision`, unless the caller of a step has chosen another one. */
  readonly decides: RoleName;
  readonly protocol: 'auto' | 'channels' | 'native-tools' | 'json' | 'plain';
  /** `auto`: the form that suits the model. */
  readonly promptForm: 'auto' | 'text' | 'messages';
  readonly answer: 'inline' | 'synthesize' | 'auto';
  readonly memory: MemorySettings;
  readonly channels: readonly DeclaredChannel[];
  readonly output?: OutputSchema;
  /** An agent program outside this runtime does the work. Absent: the loop of this runtime. */
  readonly external?: ExternalProgram;
};

/** Defaults for everything that is not set. */
export const agentDefaults = {
  models: {},
  budgets: { rounds: 15, wallMs: 600_000 },
  policies: {
    malformed: 'degrade',
    prose: 'second',
    toolFailure: 'continue',
    exhausted: 'finalize',
    hiddenTool: 'refuse',
    externalTools: 'park',
    steer: 'finalize',
  },
  context: { maxTokens: 80_000, recentTurns: 6, intactTurns: 1, ttlMs: 300_000 },
  exec: { languages: ['python', 'javascript'], timeoutMs: 60_000, memoryMb: 512, fileMb: 64 },
  delegation: {
    ...{ plans: false, depth: 1, sideBySide: 3, stepMs: 600_000, verify: true },
    ...{ agents: [], from: [] },
  },
  decides: 'decision',
  protocol: 'auto',
  promptForm: 'auto',
  answer: 'inline',
  memory: { mode: 'off', scopes: ['user'], limit: 8 },
} as const satisfies Partial<AgentSettings>;
