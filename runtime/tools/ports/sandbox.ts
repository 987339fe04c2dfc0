import type { Json, JsonObject } from '../../base/json.ts';
import type { BlobRef } from '../../timeline/block.ts';
import type { ToolResult } from './tool.ts';

export type Language = 'python' | 'javascript';

/** A file the program must leave. `filepath` is relative to OUTPUT_DIR: `outputs/…` or `files/…`. */
export type ContractItem = {
  readonly filepath: string;
  readonly description: string;
  readonly visibility: 'external' | 'internal';
};

/** A real read-only file under OUTPUT_DIR: `attachments/…` of this turn or `t3/…` of an earlier one; `files/…` is writable. */
export type InputFile = {
  readonly filepath: string;
  readonly blob: BlobRef;
  readonly writable: boolean;
};

export type ExecLimits = {
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly fileMb: number;
  readonly workspaceMb: number;
  readonly processes: number;
};

export type ExecRequest = {
  /** `exec_…` */
  readonly id: string;
  readonly tenant: string;
  readonly turn: string;
  /** What the model calls the turn, `t3`: its program may put that in front of a path, or the id. */
  readonly turnName?: string;
  readonly language: Language;
  readonly code: string;
  readonly contract: readonly ContractItem[];
  readonly inputs: readonly InputFile[];
  /** Tool ids this execution may call; everything else is `tool_not_visible`. */
  readonly granted: readonly string[];
  readonly limits: ExecLimits;
};

/** Performs one call for the program. The supervisor has already checked the grant, the deadline and the frame. */
export type ExecToolCall = {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly reason: string;
};
export interface ExecHost {
  callTool(call: ExecToolCall, options: { signal: AbortSignal }): Promise<ToolResult>;
  /** `{ ret, err }` of `ctx_tools.fetch_ctx(path)`. */
  fetchContext(path: string, options: { signal: AbortSignal }): Promise<Json>;
  /** For `ctx_tools.fetch_file(path)`. Refusals `invalid_path`, `not_found`, `not_a_file`. */
  findFile(path: string, options: { signal: AbortSignal }): Promise<ReadableFile>;
}

/** A file that the program may read. `filename` is what its maker called it, whatever that is. */
export type ReadableFile = { readonly filename: string; readonly blob: BlobRef };

/** The beginning of a textual file, and how much text there is. */
export type TextPreview = {
  readonly text_preview: string;
  /** UTF-16 units. */
  readonly text_symbols: number;
  readonly line_count: number;
  /** The preview is not all of it. */
  readonly text_truncated: boolean;
  /** Nobody read to its end: there is more than the counts say. */
  readonly counted?: 'beginning';
};

export type ExecArtifact = {
  readonly filepath: string;
  readonly description: string;
  readonly visibility: 'external' | 'internal';
  readonly mime: string;
  readonly blob: BlobRef;
  /** In the workspace, and not named in the contract. */
  readonly undeclared?: true;
  /** Absent for what is no text, for what nobody asked for, and where the files before it have taken the room. */
  readonly preview?: TextPreview;
};

/** A file of the contract that is not delivered. `found_at`: where a missing one lies instead, beneath OUTPUT_DIR. */
export type UndeliveredFile = {
  readonly filepath: string;
  readonly code: string;
  readonly found_at?: string;
};

/** A file that a program left where files are delivered from, and that its contract does not name. `code`: why it cannot be kept. */
export type LeftoverFile = {
  readonly filepath: string;
  readonly size: number;
  readonly code?: string;
};

export type KillReason = 'timeout' | 'cancelled' | 'memory' | 'file_size' | 'protocol' | 'lost';

/** The same from every backend. Outcome, exit code and files come from the host, never from a frame. */
export type ExecEnvelope = {
  readonly ok: boolean;
  readonly artifacts: readonly ExecArtifact[];
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly files?: readonly UndeliveredFile[];
  } | null;
  /** Markdown for the model. */
  readonly report_text: string;
  readonly user_out_tail: string;
  readonly runtime_err_tail: string;
  /** All that a program without a contract printed, up to 1 MiB; only where the report shows less. */
  readonly user_out?: string;
  /** Not kept: the first of them that its contract could have named. */
  readonly left?: readonly LeftoverFile[];
  readonly phases_ms: Readonly<Record<'prepare' | 'ready' | 'run' | 'collect', number>>;
  readonly kill_reason: KillReason | null;
  readonly limits: ExecLimits & { readonly memory: 'kernel' | 'best-effort' };
  readonly backend: string;
};

export type ExecEvent =
  | { readonly kind: 'ready'; readonly backend: string }
  | { readonly kind: 'output'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | { readonly kind: 'tool_called'; readonly id: string; readonly tool: string }
  | { readonly kind: 'tool_finished'; readonly id: string; readonly ok: boolean }
  | { readonly kind: 'done'; readonly envelope: ExecEnvelope };

/** What is known of a program before it is written. */
export type ProgramKind = Pick<ExecRequest, 'language' | 'limits'> & {
  /** Top folders of its read-only inputs, `t3`: a sandbox that can add none later starts an executor with them. */
  readonly folders?: readonly string[];
};

/** Where generated code runs: prepare → ready → run → collect → dispose, told by `phases_ms`. */
export interface Sandbox {
  /** `process`, `docker`; what an operator reads. */
  readonly backend: string;
  readonly languages: readonly Language[];
  /** Always ends with one `done`; an abort kills the program and ends with `kill_reason: cancelled`. */
  run(
    request: ExecRequest,
    host: ExecHost,
    options: { signal: AbortSignal },
  ): AsyncIterable<ExecEvent>;
  /** A program of this kind is being written: an executor may start for it. Taken back when disposed, or when nothing comes. */
  prepare?(kind: ProgramKind): Disposable;
  /** These kinds are usual here: as many executors as the pool has wait for each of them, until this is said anew. */
  keep?(kinds: readonly ProgramKind[]): void;
}
