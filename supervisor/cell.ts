import type { Duplex, Readable } from 'node:stream';
import type { BlobRef } from '../runtime/timeline/block.ts';
import type { ExecLimits, ExecRequest, Language } from '../runtime/tools/sandbox.ts';

/** How an executor ended, as the host saw it. */
export type Exit = {
  /** 128 + signal for one that was killed. */
  readonly code: number;
  readonly outOfMemory: boolean;
  /** The host lost sight of it; the rest is a guess. */
  readonly lost: boolean;
  /** It had put more into a place than it may and was ended for it, where no disk says so: what the model is told. */
  readonly full?: string;
};

/** By SIGKILL, from whomever. */
export const killedExit: Exit = { code: 137, outOfMemory: false, lost: false };

/** What was found at a path beneath OUTPUT_DIR; `code` says why it is not delivered. */
export type Found =
  | { readonly kind: 'file'; readonly blob: BlobRef }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly code: string }
  /** Where it was looked for more, under a name that nobody asked for. */
  | { readonly kind: 'unasked'; readonly size: number };

/** Beneath OUTPUT_DIR. */
export type SeenFile = { readonly path: string; readonly size: number };

export interface FileRetention {
  /** Asked once of each file in a folder, which nobody asked for by name: whether it is kept all the same. */
  keeps(file: SeenFile): boolean;
  /** The bytes of one file; a Refusal `too_large` over the limit. */
  put(file: SeenFile, bytes: AsyncIterable<Uint8Array>): Promise<BlobRef>;
}

/** A file and its name beneath the folder of handed files, `<number>/<filename>`. */
export type MountedFile = {
  readonly name: string;
  readonly tenant: string;
  readonly blob: BlobRef;
};

/**
 * What must be known of a program before its executor starts. Programs of one kind can use any cell
 * of that kind, so nothing here belongs to a tenant.
 */
export type CellKind = {
  readonly language: Language;
  readonly limits: Omit<ExecLimits, 'timeoutMs'>;
  /** Top folders of the inputs, for a backend that can give a cell no folder later on. */
  readonly folders: readonly string[];
};

/**
 * One isolated place with a waiting executor in it, as a backend makes it. Used for one program.
 * Disposing kills whatever still runs and removes every trace.
 */
export interface Cell extends AsyncDisposable {
  /** Frames of the executor, or of the supervisor that stands before it. */
  readonly stream: Duplex;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Characters of an output that are missing in it before what is read now, where a flood is not carried. */
  omittedChars?(stream: 'stdout' | 'stderr'): number;
  /** Every process of the sandbox is gone. Never rejects once the cell is open. */
  readonly exited: Promise<Exit>;
  readonly memory: 'kernel' | 'best-effort';
  /** Once, when the executor has said hello: its limits hold, its files can be found again. */
  settle(): Promise<void>;
  /** Once, before the program is sent: its inputs are where it looks for them. */
  stageInputs(request: ExecRequest, options: { signal: AbortSignal }): Promise<void>;
  /**
   * While the program runs: puts a file where only it is read, its bytes held to their hash. Rejects with a Fault, or as
   * the signal says; what of it is there then is never told to the program.
   */
  mountFile(file: MountedFile, options: { signal: AbortSignal }): Promise<void>;
  /** SIGTERM for the program, from a host that can reach it; else it is asked over its stream. */
  terminate?(): void;
  /** SIGKILL for all of it. Idempotent. */
  kill(): void;
  /**
   * After `exited`: looks for files beneath OUTPUT_DIR, follows no link, keeps what is fit. At a path with a `/` behind it
   * the first files that nobody asks for by name, in a folder or one that stands there itself, are kept if `keep` takes
   * them, else told as `unasked`. Puts into `found` each as it is found. Rejects with a Fault, or as the signal says; what
   * was found before stays.
   */
  collect(
    paths: readonly string[],
    options: { keep: FileRetention; signal: AbortSignal; found: Map<string, Found> },
  ): Promise<void>;
}

export type OpenCell = (kind: CellKind, options: { signal: AbortSignal }) => Promise<Cell>;
