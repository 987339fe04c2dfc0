import type { Json, JsonObject } from '../../base/json.ts';
import type { ExternalProgram } from '../../sdk/contract/agent-settings.ts';
import type { BlobRef } from '../../timeline/block.ts';

/** Agent programs of this installation, each in a sandboxed workspace of its own. */
export type ExternalAgents = {
  /**
   * Starts the program in the workspace of this conversation and agent, and continues its session if it has one. Faults
   * `AGENT_UNAVAILABLE`, `AGENT_FAILED`.
   */
  open(place: ExternalPlace, options: { readonly signal: AbortSignal }): Promise<ExternalAgent>;
  /** Removes the workspaces of a conversation. */
  erase(place: Pick<ExternalPlace, 'key'>): Promise<void>;
};

export type ExternalPlace = {
  readonly tenant: string;
  /** Of the conversation. */
  readonly key: number;
  /** `bundle/agent`. */
  readonly agent: string;
  readonly program: ExternalProgram;
};

/** A running program. It ends when it is disposed. */
export type ExternalAgent = AsyncDisposable & {
  readonly session: string;
  /** The program remembers what happened earlier in the conversation. */
  readonly isResumed: boolean;
  readonly about: { readonly name: string; readonly version: string };
  /**
   * Sends a prompt and yields what the program does, up to `ended`. When `signal` fires, the program is asked to stop; one
   * that does not stop in time is ended. Fault `AGENT_FAILED` if the program ends before its turn.
   */
  prompt(
    prompt: ExternalPrompt,
    options: { readonly signal: AbortSignal },
  ): AsyncIterable<ExternalEvent>;
  /**
   * Stores the files of the workspace that the program has written since `confirm` was last called. Refusal
   * `workspace_full`.
   */
  changedFiles(options: { readonly signal: AbortSignal }): Promise<WorkspaceChanges>;
};

export type ExternalPrompt = {
  readonly text: string;
  /** Files of the user; the program reads them below `agentPaths.inputs`. */
  readonly files: readonly { readonly name: string; readonly blob: BlobRef }[];
};

export type WorkspaceFile = {
  /** Below the workspace. */
  readonly path: string;
  readonly blob: BlobRef;
};

export type WorkspaceChanges = {
  readonly files: readonly WorkspaceFile[];
  /** Files that were not kept, with a code for each. */
  readonly left: readonly { readonly path: string; readonly code: string }[];
  /** The changes are on the log. */
  confirm(): Promise<void>;
};

/** What a call is about, in the words of the Agent Client Protocol: `read`, `edit`, `execute`… */
export type ExternalCall = {
  /** Of the program; unique in its session. */
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly input: JsonObject;
};

/** A part of a result: a text, a change of a file, or the output of a command. */
export type ResultPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'diff'; readonly path: string; readonly diff: string }
  | { readonly type: 'terminal'; readonly output: string; readonly exit_code?: number };

export type PermissionChoice = 'allow_once' | 'allow_always' | 'reject';

export type ExternalEvent =
  | { readonly kind: 'thought' | 'message'; readonly text: string }
  /** Announced, not necessarily started; more may become known of it. */
  | { readonly kind: 'call'; readonly call: ExternalCall; readonly isStarted: boolean }
  | {
      readonly kind: 'result';
      readonly call: ExternalCall;
      readonly ok: boolean;
      readonly parts: readonly ResultPart[];
      readonly output?: Json;
    }
  | {
      readonly kind: 'permission';
      readonly call: ExternalCall;
      readonly parts: readonly ResultPart[];
      /** Whether the program remembers an answer. */
      readonly mayRemember: boolean;
      answer(choice: PermissionChoice): void;
    }
  | { readonly kind: 'plan'; readonly steps: readonly PlanEntry[] }
  | {
      readonly kind: 'ended';
      readonly why: 'done' | 'stopped' | 'limit' | 'refused';
      readonly usage: ExternalUsage;
    };

export type PlanEntry = {
  readonly text: string;
  readonly status: 'pending' | 'in_progress' | 'done';
};

/** Of one prompt, as far as it is known. */
export type ExternalUsage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly costUsd: number;
};
