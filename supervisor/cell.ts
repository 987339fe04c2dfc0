import type { Duplex, Readable } from 'node:stream';
import type { BlobRef } from '../runtime/timeline/block.ts';
import type { ExecRequest } from '../runtime/tools/sandbox.ts';

/** How an executor ended, as the host saw it. */
export type Exit = {
  /** 128 + signal for one that was killed. */
  readonly code: number;
  readonly outOfMemory: boolean;
  /** The host lost sight of it; the rest is a guess. */
  readonly lost: boolean;
};

/** What was found at a path beneath OUTPUT_DIR; `code` says why it is not delivered. */
export type Found =
  | { readonly kind: 'file'; readonly blob: BlobRef }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly code: string };

/** Keeps the bytes of one file; a Refusal `too_large` over the limit. */
export type Keep = (bytes: AsyncIterable<Uint8Array>) => Promise<BlobRef>;

/**
 * One isolated place with a waiting executor in it, as a backend makes it. Used for one program.
 * Disposing kills whatever still runs and removes every trace.
 */
export interface Cell extends AsyncDisposable {
  /** Frames of the executor, or of the supervisor that stands before it. */
  readonly stream: Duplex;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Every process of the sandbox is gone. Never rejects once the cell is open. */
  readonly exited: Promise<Exit>;
  readonly memory: 'kernel' | 'best-effort';
  /** The last step before the program starts: its limits hold, its files can be found again. */
  settle(): Promise<void>;
  /** SIGKILL for all of it. Idempotent. */
  kill(): void;
  /** After `exited`: looks for files beneath OUTPUT_DIR, follows no link, keeps what is fit. */
  collect(
    paths: readonly string[],
    options: { keep: Keep; signal: AbortSignal },
  ): Promise<ReadonlyMap<string, Found>>;
}

export type OpenCell = (request: ExecRequest, options: { signal: AbortSignal }) => Promise<Cell>;
