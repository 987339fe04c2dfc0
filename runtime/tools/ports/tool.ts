import type { Json, JsonObject } from '../../base/json.ts';
import type { BlobRef, Draft } from '../../timeline/block.ts';
import type { CallId, StreamName, TurnId } from '../../timeline/ids.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import type { View } from '../../timeline/view.ts';
import type { CallJournal } from './call-journal.ts';
import type { TurnServices } from './call-services.ts';
import type { Dispatch } from './dispatch.ts';
import type { LongTermMemory, MemoryScope } from './long-term-memory.ts';
import type { SandboxPlace } from './sandbox-place.ts';
import type { ToolGroup } from './tool-group.ts';
import type { TurnBudget } from './turn-budget.ts';
import type { WebScope } from './web.ts';

export type Trait = 'exploration' | 'exploitation' | 'neutral';

export type ToolError = {
  /** `invalid_input`, `tool_not_found`, `tool_not_visible`, `timeout`, `denied`, `interrupted`, `not_executed`, `tool_failed`, or the tool's own. */
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** `{ path, message }` of each bad argument, for `invalid_input`. */
  readonly violations?: readonly { readonly path: string; readonly message: string }[];
};

export type ToolResult =
  | { readonly ok: true; readonly ret: Json }
  | { readonly ok: false; readonly error: ToolError; readonly ret?: Json };

/** How a tool is described to the model, and what the engine must know to run it. */
export type ToolSpec = {
  /** `alias.name` */
  readonly id: string;
  readonly description: string;
  /** JSON Schema of the input the model writes; presets are not in it. */
  readonly parameters: JsonObject;
  /** JSON Schema of the return value, if declared. */
  readonly returns?: JsonObject;
  /** Empty means unknown: the call is alone in its round. */
  readonly traits: readonly Trait[];
  /** `none` may be repeated; `keyed` is repeated with the same key; `unkeyed` is never repeated. */
  readonly effects: 'none' | 'keyed' | 'unkeyed';
  readonly concurrency: 'safe' | 'alone';
  readonly timeoutMs: number;
  readonly callsPerTurn?: number;
  /** What follows a failed call. Absent: the agent's policy. */
  readonly onFailure?: 'continue' | 'fail' | 'escalate';
  /** Characters of the result that the model sees; the whole value stays under `tc:`. */
  readonly resultLimit: number;
  /** `control` tools (`react.*`) and `exec` tools are never offered to generated code. */
  readonly kind: 'control' | 'exec' | 'bundle' | 'platform';
  /** Whether a text result is a page for people. Absent: HTML and long Markdown are, unless the tool looks something up. */
  readonly resultAs?: 'page' | 'text';
  /** Calls may defer their work. */
  readonly defers?: true;
  /** A line that ANNOUNCE shows while the tool is visible. */
  readonly hint?: string;
  /** Set on exec tools: the language of the code channel that must follow. */
  readonly language?: 'python' | 'javascript';
  /** Why every call is refused on this machine, and what to do. Absent if the tool works. */
  readonly unavailable?: string;
};

/** An image or a PDF that the prompt attaches after the result. */
export type Attachment = {
  readonly path: string;
  readonly mime: string;
  readonly blob: BlobRef;
  readonly tokens: number;
};

export type ToolOutcome = {
  readonly result: ToolResult;
  readonly attached?: readonly Attachment[];
  /** Appended together with the result and before it: files, sources, plans, hides, notices. */
  readonly blocks?: readonly Draft[];
  /** Shown to the model instead of the JSON of `ret`. */
  readonly preview?: string;
  /** How often a program called each tool that has a limit of calls per turn. */
  readonly programCalls?: Readonly<Record<string, number>>;
};

/** `tools`: the visible tools of the agent; only its bundle and platform tools are granted. */
export type ProgramRights = {
  readonly tools: readonly Tool[];
  readonly timeoutMs?: number;
  readonly memoryMb?: number;
  readonly fileMb?: number;
  /** Processes and threads of a program. */
  readonly pids?: number;
} & SandboxPlace;

/** What an agent sees of its tools, and what it can bring into view. */
export type Toolset = {
  /** `bundle/agent` */
  readonly agent: string;
  readonly groups: readonly (ToolGroup & { readonly on: boolean })[];
  /** Ids of all tools. */
  readonly tools: readonly string[];
  readonly hidden: readonly Tool[];
  /** Ids of the tools that the system text or the log has described. */
  readonly described: readonly string[];
  /** The provider shows the visible tools to the model: no text has to describe them. */
  readonly isOffered?: boolean;
};

/** The long-term memory, as the agent of a call may use it. */
export type CallMemory = {
  readonly port: LongTermMemory;
  /** `bundle/agent` */
  readonly agent: string;
  readonly scopes: readonly MemoryScope[];
};

export type CallContext = {
  readonly scope: ProjectScope & { readonly user: string };
  readonly conversation: string;
  readonly turn: TurnId;
  readonly round: number;
  /** `tc_…`; a call from generated code has its own id. */
  readonly call: CallId;
  /** The same on every retry of this call. */
  readonly key: string;
  /** The key of the call that is already approved. Nested calls have their own keys. */
  readonly approved?: string;
  /** The key of the call that guards have admitted with its present input. */
  readonly admitted?: string;
  /** The answer of the client or agent that ran the call. */
  readonly answer?: ExternalAnswer;
  /** Aborted by a steer, the deadline, a lost lease or shutdown. */
  readonly signal: AbortSignal;
  /** ISO time of the round, for everything that is written. */
  readonly now: string;
  /** Size of the model's context in tokens; tools with large results use only a share of it. Absent if unknown. */
  readonly contextTokens?: number;
  /** The folded log at the time of the call. */
  readonly view: View;
  readonly services: TurnServices;
  /** Runs a nested call, recorded in the journal on its own. Absent: it runs as part of this call. */
  readonly callTool?: (tool: string, input: JsonObject) => Promise<ToolResult>;
  /** Stream in which the content of this call's input was already shown while the model wrote it; its block carries the id. */
  readonly stream?: StreamName;
  /** Tools and limits for programs of this agent; scripts of bundles have the same limits. Absent: no tools and default limits. */
  readonly programs?: ProgramRights;
  /** Absent: nothing is hidden from the agent. */
  readonly toolset?: Toolset;
  /** How often programs of this turn, including this one, have called each tool (exec tools only). */
  readonly programCalls?: Map<string, number>;
  /** Absent: this installation has none. */
  readonly memory?: CallMemory;
  /** Budget of the turn, which model calls of this call are charged to. Absent: nothing is counted. */
  readonly budget?: TurnBudget;
  /** Where calls of its program are recorded before they run (exec tools only). */
  readonly journal?: CallJournal;
  /** Performs calls at an address that the message of the turn names. Absent: no address is allowed. */
  readonly dispatch?: Dispatch;
  /** What the message of the turn asks of web searches. */
  readonly web?: WebScope;
  /** Code channel bound to this call (exec tools only). */
  readonly code?: { readonly text: string; readonly language: 'python' | 'javascript' };
};

export type ParsedInput =
  | {
      readonly ok: true;
      readonly input: JsonObject;
      /** Presets for which the model sent a value, which is not used. */
      readonly overridden?: readonly string[];
    }
  | {
      readonly ok: false;
      readonly violations: readonly { readonly path: string; readonly message: string }[];
    };

/** A mismatch between input and schema. `expected`: the expected JSON type, if the type is wrong. */
export type InputIssue = {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly expected?: string | undefined;
};

/** The approval that a person must give before a call continues. */
export type Question = {
  readonly title: string;
  readonly detail?: string;
  /** How long an approval is valid if the person does not choose. */
  readonly remember: 'once' | 'turn' | 'conversation';
  readonly timeoutMs: number;
};

/** A call for a client to run: the whole input, including presets. */
export type ExternalCall = {
  readonly input: JsonObject;
  readonly timeoutMs: number;
  /** No client performs the call: it waits until this task has ended. */
  readonly task?: string;
};

/** A call for another agent to run in its own conversation. */
export type DelegatedCall = ExternalCall & {
  /** `agent` of the same bundle, or `bundle/agent`. */
  readonly agent: string;
  /** Maximum number of rounds. Absent: the limit of that agent. */
  readonly rounds?: number;
};

/** A call for several agents to run, each on one step in its own conversation. */
export type PlannedCall = {
  /** What all steps together must achieve. Absent: the request of the turn. */
  readonly goal?: string;
  readonly steps: readonly {
    readonly id: string;
    readonly task: string;
    /** `agent` or `bundle/agent`. Absent: the calling agent. */
    readonly agent?: string;
    /** Ids of steps of this plan, or of successful steps of earlier plans of the turn. */
    readonly needs: readonly string[];
    /** `fast`, `reasoning`, or the id of a model. */
    readonly hint?: string;
  }[];
};

/** The answer of a client or another agent to a call it ran. */
export type ExternalAnswer =
  | { readonly ok: true; readonly ret: Json }
  | {
      readonly ok: false;
      readonly error: {
        readonly code: string;
        readonly message: string;
        readonly retryable?: boolean;
      };
    };

export type PreCall =
  | {
      readonly ok: true;
      readonly ask?: Question;
      readonly external?: ExternalCall;
      readonly delegated?: DelegatedCall;
      readonly plan?: PlannedCall;
    }
  | { readonly ok: false; readonly error: ToolError };

/** Whether a call may begin, and with which input. */
export type Admission =
  | { readonly ok: true; readonly input: JsonObject; readonly ask?: Question }
  | { readonly ok: false; readonly error: ToolError };

export interface Tool {
  readonly spec: ToolSpec;
  /** The model is writing a call: resources it will need may be started. Disposed if the call is not made. */
  readonly prepare?: (
    rights: ProgramRights,
    seen: Pick<CallContext, 'view' | 'turn'>,
  ) => Disposable | undefined;
  /**
   * Replaces `run` for a call whose worker died: finds out what the call did, and repeats no effect. `signal` stops the
   * slow parts; the signal of the context is for the parts that must finish.
   */
  readonly recover?: (
    context: CallContext,
    options: { signal: AbortSignal },
  ) => Promise<ToolOutcome>;
  /** Coerces harmless mistakes (numbers as text, JSON as text, missing wrappers) and refuses the rest with a path. */
  parse(input: JsonObject): ParsedInput;
  /**
   * The decision of the hooks, made before the intent of the call is recorded. If `admit` was not called, `run` calls the
   * hooks itself, so a call that a guard refuses never runs. Absent without hooks.
   */
  admit?(
    input: JsonObject,
    context: CallContext,
    /** `edited`: a person edited the input; only guards run. */
    options?: { readonly edited?: boolean },
  ): Promise<Admission>;
  /** What must happen before `run`: an approval, a client or another agent running the call, or a refusal. Absent: nothing. */
  consider?(input: JsonObject, context: CallContext): Promise<PreCall>;
  /** Expected failures are results; anything it throws becomes `tool_failed`, unless it is a Refusal or a Fault. */
  run(input: JsonObject, context: CallContext): Promise<ToolOutcome>;
}
