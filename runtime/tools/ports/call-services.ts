import type { Json } from '../../base/json.ts';
import type { Draft } from '../../timeline/block.ts';
import type { CallId } from '../../timeline/ids.ts';
import type { Snippet, SnippetQuery, TurnPage, TurnQuery } from '../../timeline/ports/store.ts';
import type { ResolvedPath } from '../../timeline/resolve/resolve.ts';
import type { SourceFacts } from '../../timeline/source-facts.ts';
import type { SourceRow } from '../../timeline/view.ts';

export type FileRef = {
  readonly path: `fi:${string}`;
  readonly filename: string;
  readonly mime: string;
  readonly size: number;
  readonly visibility: 'external' | 'internal';
};

export type { ResolvedPath };

export type FileWrite = {
  /** `outputs/…` or `files/…` of this turn. */
  readonly filepath: string;
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
  readonly mime?: string;
  readonly description?: string;
  readonly visibility?: 'external' | 'internal';
};

/** A live page that grows at the client and becomes one `canvas` block when it is closed. */
export interface CanvasWriter {
  write(text: string): void;
  close(): Promise<void>;
}

/** What a running call may do in its turn. Blocks made here are appended with the result of the call, in order. */
export interface TurnServices {
  /** Resolves any path of the log of this conversation, or of another conversation of the same user. Undefined if nothing has the path. */
  read(path: string): Promise<ResolvedPath | undefined>;
  /** Loads all bytes into memory. */
  bytes(resolved: ResolvedPath): Promise<Uint8Array>;
  /** Streams the bytes; at the end, Fault `BLOB_CORRUPT` if their hash differs from the recorded one. */
  stream(resolved: ResolvedPath): Promise<AsyncIterable<Uint8Array>>;
  /** The bytes are durable when it resolves. Refusal `path_refused` outside outputs/ and files/, `too_large` over the limit. */
  writeFile(file: FileWrite): Promise<FileRef>;
  addSources(
    rows: readonly (SourceFacts & { url: string; title: string; text?: string })[],
  ): Promise<readonly SourceRow[]>;
  /** `append`: the text continues that of the step before. */
  progress(progress: { text?: string; fraction?: number; data?: Json; append?: true }): void;
  emit(type: string, data: Json): void;
  /** `file`: the path of the file that the page shows, so that the model does not read it twice. */
  canvas(name: string, options: { mime: string; title?: string; file?: string }): CanvasWriter;
  /** Searches the conversations of the user; by meaning too, if an embedder is configured. */
  search(query: SnippetQuery): Promise<readonly Snippet[]>;
  /** Turns of these conversations, in order. */
  turns(query: TurnQuery): Promise<TurnPage>;
  note(text: string, options?: { tag?: 'P' | 'D' | 'S' | 'A' | 'K' }): void;
  /** A `react.notice` of the call, once per code. */
  notice(code: string, text: string): void;
  /** Services for a nested call, shown as call `id` of this call; its blocks come back through `keep`. */
  nested(call: CallId, options: { signal: AbortSignal; id: string }): CallServices;
  /** Adds drafts of nested calls to those of this call. */
  keep(drafts: readonly Draft[]): void;
}

/** The services of one call, for the code that runs the call. */
export interface CallServices extends TurnServices {
  /** Returns all drafts, once. Closes open canvases and then the services themselves (`call_over`). */
  take(): readonly Draft[];
}
