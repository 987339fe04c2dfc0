import type { Json, JsonObject } from '../../base/json.ts';
import type { BlobRef, Draft } from '../../timeline/block.ts';
import type { Scope } from '../../timeline/ports/store.ts';
import type { View } from '../../timeline/view.ts';
import type { CallJournal } from './call-journal.ts';
import type { TurnServices } from './call-services.ts';
import type { TurnBudget } from './turn-budget.ts';

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

/** What the model is told about a tool, and what the engine must know to run it. */
export type ToolSpec = {
  /** `alias.name` */
  readonly id: string;
  readonly description: string;
  /** JSON Schema of the input the model writes; presets are not in it. */
  readonly parameters: JsonObject;
  /** JSON Schema of what it returns, where that is declared. */
  readonly returns?: JsonObject;
  /** Empty = unknown: alone in its round. */
  readonly traits: readonly Trait[];
  /** `none` may be repeated; `keyed` is repeated with the same key; `unkeyed` never is. */
  readonly effects: 'none' | 'keyed' | 'unkeyed';
  readonly concurrency: 'safe' | 'alone';
  readonly timeoutMs: number;
  readonly callsPerTurn?: number;
  /** Characters of the result the model sees; the whole stays under `tc:`. */
  readonly resultLimit: number;
  /** `control` tools (`react.*`) and `exec` tools are never offered to generated code. */
  readonly kind: 'control' | 'exec' | 'bundle' | 'platform';
  /** Set on exec tools: the language of the code channel that must follow. */
  readonly language?: 'python' | 'javascript';
  /** Why every call of it is refused on this machine, and what to do; absent: it works. */
  readonly unavailable?: string;
};

/** An image or a PDF that the prompt shows as itself behind the result. */
export type Attachment = {
  readonly path: string;
  readonly mime: string;
  readonly blob: BlobRef;
  readonly tokens: number;
};

export type ToolOutcome = {
  readonly result: ToolResult;
  readonly attached?: readonly Attachment[];
  /** Appended with the result, before it: files, sources, plans, hides, notices. */
  readonly blocks?: readonly Draft[];
  /** What the model reads instead of the JSON of `ret`. */
  readonly preview?: string;
  /** How often a program called tools of which a turn has only so many calls. */
  readonly programCalls?: Readonly<Record<string, number>>;
};

/** `tools`: the agent's visible set; only bundle and platform tools of it are granted. */
export type ProgramRights = {
  readonly tools: readonly Tool[];
  readonly timeoutMs?: number;
  readonly memoryMb?: number;
  readonly fileMb?: number;
};

export type CallContext = {
  readonly scope: Scope & { readonly user: string };
  readonly conversation: string;
  readonly turn: string;
  readonly round: number;
  /** `tc_…`; a call from generated code has its own. */
  readonly call: string;
  /** The same on every retry of this call. */
  readonly key: string;
  /** The key of the call for which nobody need be asked any more. Calls that it makes have keys of their own. */
  readonly approved?: string;
  /** The key of the call that guards have let pass, with the input it has now. */
  readonly admitted?: string;
  /** Of a call that a client, or another agent, has performed. */
  readonly answer?: ExternalAnswer;
  /** Aborted by a steer, the deadline, a lost lease or shutdown. */
  readonly signal: AbortSignal;
  /** ISO time of the round, for anything that is written. */
  readonly now: string;
  /** Tokens the model's context holds; tools that fill it keep to a share of it. Absent: unknown. */
  readonly contextTokens?: number;
  /** The log as it stands at the call. */
  readonly view: View;
  readonly services: TurnServices;
  /** A call made by this call, performed and journalled as one of its own. Absent: it runs as part of this one. */
  readonly callTool?: (tool: string, input: JsonObject) => Promise<ToolResult>;
  /** Stream under which the content of this call's input was already shown while it was written; its block carries it. */
  readonly stream?: string;
  /** What programs of this agent may call and use; scripts of bundles have the same limits. Absent: nothing, and the defaults. */
  readonly programs?: ProgramRights;
  /** How often programs of this turn have called each tool, this one included (exec tools only). */
  readonly programCalls?: Map<string, number>;
  /** Of the turn, which pays for what the call asks of models. Absent: nothing is counted. */
  readonly budget?: TurnBudget;
  /** Where calls of its program are written down before they are performed (exec tools only). */
  readonly journal?: CallJournal;
  /** Code channel bound to this call (exec tools only). */
  readonly code?: { readonly text: string; readonly language: 'python' | 'javascript' };
};

export type ParsedInput =
  | { readonly ok: true; readonly input: JsonObject }
  | {
      readonly ok: false;
      readonly violations: readonly { readonly path: string; readonly message: string }[];
    };

/** What does not fit of an input. `expected`: the JSON type that belongs there, where it is the type that is wrong. */
export type InputIssue = {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly expected?: string | undefined;
};

/** What a person is asked before a call goes on. */
export type Question = {
  readonly title: string;
  readonly detail?: string;
  /** How long a yes stands if the person does not say. */
  readonly remember: 'once' | 'turn' | 'conversation';
  readonly timeoutMs: number;
};

/** What a client gets to perform: the whole input, presets included. */
export type ExternalCall = { readonly input: JsonObject; readonly timeoutMs: number };

/** What another agent of the bundle gets to do, in a conversation of its own. */
export type DelegatedCall = ExternalCall & {
  readonly agent: string;
  /** At most; absent: as many as that agent has. */
  readonly rounds?: number;
};

/** What a client, or another agent, has to say of a call it performed. */
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
    }
  | { readonly ok: false; readonly error: ToolError };

/** Whether a call may begin, and with what input. */
export type Admission =
  | { readonly ok: true; readonly input: JsonObject; readonly ask?: Question }
  | { readonly ok: false; readonly error: ToolError };

export interface Tool {
  readonly spec: ToolSpec;
  /** A call is being written: whatever it will need may start. Disposed when it will not come. */
  readonly prepare?: (
    rights: ProgramRights,
    seen: Pick<CallContext, 'view' | 'turn'>,
  ) => Disposable | undefined;
  /**
   * In place of `run`, for a call whose owner died: finds out what it did, and does nothing twice. `signal`: stops what
   * takes long of that; the context's own is for what must be known.
   */
  readonly recover?: (
    context: CallContext,
    options: { signal: AbortSignal },
  ) => Promise<ToolOutcome>;
  /** Repairs what is harmless (numbers as text, JSON as text, missing wrappers), refuses the rest with a path. */
  parse(input: JsonObject): ParsedInput;
  /**
   * What hooks say of this call, asked before its intent is written down. Where nobody asked, `run` asks itself: nothing
   * that a guard refuses ever runs. Absent: nobody has anything to say.
   */
  admit?(
    input: JsonObject,
    context: CallContext,
    /** `edited`: as a person wants it; only guards are asked. */
    options?: { readonly edited?: boolean },
  ): Promise<Admission>;
  /** What must come before `run`: a person's word, the work of a client or of another agent, or a no. Absent: nothing ever does. */
  consider?(input: JsonObject, context: CallContext): Promise<PreCall>;
  /** Expected failures are results; what it throws becomes `tool_failed` (or the Refusal or Fault it is). */
  run(input: JsonObject, context: CallContext): Promise<ToolOutcome>;
}
