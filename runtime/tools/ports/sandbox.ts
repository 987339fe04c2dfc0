import type { Json, JsonObject } from '../../base/json.ts';
import type { BlobRef } from '../../timeline/block.ts';
import type { TurnId } from '../../timeline/ids.ts';
import type { SandboxPlace } from './sandbox-place.ts';
import type { ToolResult } from './tool.ts';

export type Language = 'python' | 'javascript';

/** A file the program must produce. `filepath` is relative to OUTPUT_DIR: `outputs/…` or `files/…`. */
export type ContractItem = {
  readonly filepath: string;
  readonly description: string;
  readonly visibility: 'external' | 'internal';
};

/** An input file under OUTPUT_DIR. `attachments/…` of this turn and `t3/…` of an earlier turn are read-only; `files/…` is writable. */
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
  readonly turn: TurnId;
  /** The short name of the turn, `t3`: the program may use it, or the id, as a prefix of paths. */
  readonly turnName?: string;
  readonly language: Language;
  readonly code: string;
  readonly contract: readonly ContractItem[];
  readonly inputs: readonly InputFile[];
  /** Ids of the tools this execution may call; any other is `tool_not_visible`. */
  readonly granted: readonly string[];
  readonly limits: ExecLimits;
  /** Absent: the installation's own sandbox. */
  readonly place?: SandboxPlace;
};

/** One call of the program. The supervisor has already checked the grant, the deadline and the frame. */
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

/** A file that the program may read. `filename` is the name its author gave it, unchecked. */
export type ReadableFile = { readonly filename: string; readonly blob: BlobRef };

/** The beginning of a text file, and the size of the whole text. */
export type TextPreview = {
  readonly text_preview: string;
  /** UTF-16 units. */
  readonly text_symbols: number;
  readonly line_count: number;
  /** The preview does not show the whole text. */
  readonly text_truncated: boolean;
  /** Only the beginning was read, so the file is larger than the counts say. */
  readonly counted?: 'beginning';
};

export type ExecArtifact = {
  readonly filepath: string;
  readonly description: string;
  readonly visibility: 'external' | 'internal';
  readonly mime: string;
  readonly blob: BlobRef;
  /** In the workspace, but not in the contract. */
  readonly undeclared?: true;
  /** Absent for binary files, for undeclared files, and when earlier files have used up the space for previews. */
  readonly preview?: TextPreview;
};

/** A file of the contract that is not delivered. `found_at`: where under OUTPUT_DIR a missing file was found instead. */
export type UndeliveredFile = {
  readonly filepath: string;
  readonly code: string;
  readonly found_at?: string;
};

/** A file that a program left in a delivery folder and that its contract does not name. `code`: why it cannot be kept. */
export type LeftoverFile = {
  readonly filepath: string;
  readonly size: number;
  readonly code?: string;
};

export type KillReason = 'timeout' | 'cancelled' | 'memory' | 'file_size' | 'protocol' | 'lost';

/** The same for every backend. Outcome, exit code and files come from the host, never from a frame. */
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
  /** The whole output of a program without a contract, up to 1 MiB; only if the report shows less. */
  readonly user_out?: string;
  /** Files that were not kept: the first ones that the contract could have named. */
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

/** What is known about a program before it is written. */
export type ProgramKind = Pick<ExecRequest, 'language' | 'limits' | 'place'> & {
  /** Top folders of its read-only inputs, such as `t3`: a sandbox that cannot add folders later starts an executor with them. */
  readonly folders?: readonly string[];
};

/** Where generated code runs: prepare → ready → run → collect → dispose, timed in `phases_ms`. */
export interface Sandbox {
  /** `process` or `docker`; shown to operators. */
  readonly backend: string;
  readonly languages: readonly Language[];
  /**
   * A program is in the network of its machine, whose interfaces it sees; only the filter that creates no sockets keeps it
   * from using them.
   */
  readonly sharesNetwork?: boolean;
  /** Always ends with one `done`; an abort kills the program and ends with `kill_reason: cancelled`. */
  run(
    request: ExecRequest,
    host: ExecHost,
    options: { signal: AbortSignal },
  ): AsyncIterable<ExecEvent>;
  /** A program of this kind is being written, so an executor may be started early. Cancelled when disposed, or when no program arrives. */
  prepare?(kind: ProgramKind): Disposable;
  /** These kinds are common: the pool keeps its full number of executors ready for each of them, until the next call of `keep`. Without kinds all waiting executors end. */
  keep?(kinds: readonly ProgramKind[]): void;
}
