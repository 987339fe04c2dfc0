import type { Json } from '../../base/json.ts';
import type { Draft } from '../../timeline/block.ts';
import type { Snippet, SnippetQuery, TurnPage, TurnQuery } from '../../timeline/ports/store.ts';
import type { Resolved } from '../../timeline/resolve/resolve.ts';
import type { SourceRow } from '../../timeline/view.ts';

export type FileRef = {
  readonly path: `fi:${string}`;
  readonly filename: string;
  readonly mime: string;
  readonly size: number;
  readonly visibility: 'external' | 'internal';
};

export type { Resolved };

export type FileWrite = {
  /** `outputs/…` or `files/…` of this turn. */
  readonly filepath: string;
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
  readonly mime?: string;
  readonly description?: string;
  readonly visibility?: 'external' | 'internal';
};

/** A live page that grows at the client and becomes one `canvas` block when closed. */
export interface CanvasWriter {
  write(text: string): void;
  close(): Promise<void>;
}

/** What a running call may do to its turn. Blocks made here are appended with the call's result, in order. */
export interface TurnServices {
  /** Resolves any path of the log, this conversation's or another of the same user. Undefined: nothing there. */
  read(path: string): Promise<Resolved | undefined>;
  /** All of it in memory. */
  bytes(resolved: Resolved): Promise<Uint8Array>;
  /** Piece by piece, and at its end Fault `BLOB_CORRUPT` if it is not what it was. */
  stream(resolved: Resolved): Promise<AsyncIterable<Uint8Array>>;
  /** Bytes are durable when it resolves. Refusal `path_refused` outside outputs/ and files/, `too_large` over the limit. */
  writeFile(file: FileWrite): Promise<FileRef>;
  addSources(
    rows: readonly { url: string; title: string; text?: string }[],
  ): Promise<readonly SourceRow[]>;
  progress(progress: { text?: string; fraction?: number; data?: Json }): void;
  emit(type: string, data: Json): void;
  /** `file`: the path of the file that the page shows; the model then does not read it twice. */
  canvas(name: string, options: { mime: string; title?: string; file?: string }): CanvasWriter;
  /** In the user's own conversations; by meaning too, where an embedder is configured. */
  search(query: SnippetQuery): Promise<readonly Snippet[]>;
  /** Their turns, in order. */
  turns(query: TurnQuery): Promise<TurnPage>;
  note(text: string, options?: { tag?: 'P' | 'D' | 'S' | 'A' | 'K' }): void;
  /** A `react.notice` of the call, once per code. */
  notice(code: string, text: string): void;
  /** The services of a call that this call makes, shown as its call `id`; what it leaves comes back through `keep`. */
  nested(call: string, options: { signal: AbortSignal; id: string }): CallServices;
  /** Drafts of calls made by this one, to be appended with its own. */
  keep(drafts: readonly Draft[]): void;
}

/** The services of one call, as whoever performs it holds them. */
export interface CallServices extends TurnServices {
  /** Everything made so far, once; closes open canvases and then the services themselves (`call_over`). */
  take(): readonly Draft[];
}
