import type { Duplex, Readable } from 'node:stream';
import type { BlobRef } from '../../runtime/timeline/block.ts';
import type { ExecLimits, ExecRequest, Language } from '../../runtime/tools/ports/sandbox.ts';

/** How an executor ended, as the host saw it. */
export type Exit = {
  /** 128 + signal for one that was killed. */
  readonly code: number;
  readonly outOfMemory: boolean;
  /** The host could not observe the end; the other fields are a guess. */
  readonly lost: boolean;
  /** Message for the model when the program was ended because a place held more than its limit, where no file system enforces it. */
  readonly full?: string;
};

/** Ended by SIGKILL. */
export const killedExit: Exit = { code: 137, outOfMemory: false, lost: false };

/** What was found at a path beneath OUTPUT_DIR; `code` says why it is not delivered. */
export type FoundOutput =
  | { readonly kind: 'file'; readonly blob: BlobRef }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly code: string }
  /** A file that the contract does not name. */
  | { readonly kind: 'unasked'; readonly size: number };

/** A file and its path beneath OUTPUT_DIR. */
export type OutputFile = { readonly path: string; readonly size: number };

export interface FileRetention {
  /** Called once for each undeclared file in a folder: whether the file is kept. */
  keeps(file: OutputFile): boolean;
  /** Stores the bytes of one file. Refusal `too_large` over the limit. */
  put(file: OutputFile, bytes: AsyncIterable<Uint8Array>): Promise<BlobRef>;
}

/** A file and its name beneath the folder of mounted files, `<number>/<filename>`. */
export type MountedFile = {
  readonly name: string;
  readonly tenant: string;
  readonly blob: BlobRef;
};

/**
 * What an executor needs to know of its program before it starts. Programs of one kind can use any cell
 * of that kind, so nothing here belongs to a tenant.
 */
export type CellKind = {
  readonly language: Language;
  readonly limits: Omit<ExecLimits, 'timeoutMs'>;
  /** Top folders of the inputs, for a backend that cannot add folders to a cell later. */
  readonly folders: readonly string[];
};

/**
 * An isolated place with a waiting executor, created by a backend and used for one program.
 * Disposing kills everything that still runs and removes every trace.
 */
export interface Cell extends AsyncDisposable {
  /** Frames of the executor, or of the supervisor in front of it. */
  readonly stream: Duplex;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Characters that a backend has omitted from an output so far, because it does not transport all of a flood. */
  omittedChars?(stream: 'stdout' | 'stderr'): number;
  /** Every process of the sandbox is gone. Never rejects once the cell is open. */
  readonly exited: Promise<Exit>;
  readonly memory: 'kernel' | 'best-effort';
  /** Called once after the handshake of the executor: its limits are in force and its files can be found again. */
  settle(): Promise<void>;
  /** Called once before the program is sent: puts its inputs where it looks for them. */
  stageInputs(request: ExecRequest, options: { signal: AbortSignal }): Promise<void>;
  /**
   * While the program runs: puts a file where the program can only read it, and verifies the hash of its bytes. Rejects with a
   * Fault, or with the reason of the signal; the program never learns of a partial file.
   */
  mountFile(file: MountedFile, options: { signal: AbortSignal }): Promise<void>;
  /** Sends SIGTERM to the program. Absent if the host cannot reach it: the program is then asked over its stream. */
  terminate?(): void;
  /** Sends SIGKILL to all of its processes. Idempotent. */
  kill(): void;
  /**
   * After `exited`: looks for files beneath OUTPUT_DIR, follows no links and keeps valid files. A path that ends with `/` is a
   * folder or a single file whose undeclared files are kept if `keep` accepts them, and otherwise reported as `unasked`. Adds
   * each file to `found` as it is found. Rejects with a Fault, or with the reason of the signal; files found before stay.
   */
  collect(
    paths: readonly string[],
    options: { keep: FileRetention; signal: AbortSignal; found: Map<string, FoundOutput> },
  ): Promise<void>;
}

export type OpenCell = (kind: CellKind, options: { signal: AbortSignal }) => Promise<Cell>;
