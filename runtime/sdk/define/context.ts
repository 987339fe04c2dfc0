import type { z } from 'zod';
import type { Json } from '../../base/json.ts';
import type { Refusal } from '../../base/refusal.ts';
import type { SourceRow } from '../../timeline/view.ts';
import type { FileRef } from '../../tools/ports/call-services.ts';
import type { Trait } from '../../tools/ports/tool.ts';
import type { EventDefinition, Job, Props, Resource, Secret } from './keys.ts';

/** A tool is called through a context and gets one itself: these types know each other, so they live together. */

export type Awaitable<T> = T | Promise<T>;

export type Ids = {
  readonly tenant: string;
  readonly project: string;
  readonly bundle: string;
  readonly revision: string;
  readonly user?: string;
  readonly conversation?: string;
  readonly turn?: string;
  readonly round?: number;
  readonly call?: string;
  readonly agent?: string;
};
type TurnIds = Ids & {
  readonly user: string;
  readonly conversation: string;
  readonly turn: string;
  readonly round: number;
  readonly agent: string;
};

/** Message: a constant lower-case phrase; what varies goes into the facts. */
export type Log = Record<
  'debug' | 'info' | 'warn' | 'error',
  (message: string, facts?: Record<string, unknown>) => void
>;

/** A value that no longer fits its schema is Fault `STORED_INVALID`. */
export type KeyValue = {
  get<T>(key: string, schema: z.ZodType<T>): Promise<T | undefined>;
  set(key: string, value: Json, options?: { ttlMs?: number }): Promise<void>;
  delete(key: string): Promise<void>;
  keys(prefix?: string): AsyncIterable<string>;
};

export type Sent = {
  readonly status: 'started' | 'queued' | 'duplicate';
  readonly conversation: string;
  readonly turn: string;
  readonly seq: number;
};

/** A file of the bundle's folder. */
export interface Asset {
  /** On this machine, absolute. */
  readonly path: string;
  text(): Promise<string>;
  /** Fault `STORED_INVALID` where it does not fit. */
  json<T>(schema: z.ZodType<T>): Promise<T>;
  bytes(): Promise<Uint8Array>;
  stream(): ReadableStream<Uint8Array>;
}

export interface Context {
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly ids: Ids;
  readonly storage: { readonly bundle: KeyValue };
  /** `get`: Fault `SECRET_MISSING` where nobody set it, Refusal `secret_required` where the user has not. `matches` compares in constant time. */
  readonly secrets: {
    get(secret: Secret): Promise<string>;
    matches(secret: Secret, given: string | null): Promise<boolean>;
  };
  /** Stops with `signal`. */
  readonly fetch: typeof fetch;
  /** Durable before it resolves; the same `messageId` again changes nothing. */
  readonly events: {
    send<S extends z.ZodType>(
      event: EventDefinition<S>,
      to: { conversation: string; payload: z.input<S>; messageId?: string },
    ): Promise<Sent>;
  };
  readonly jobs: {
    enqueue<S extends z.ZodObject>(
      job: Job<S>,
      input: z.input<S>,
      options?: { key?: string; delayMs?: number },
    ): Promise<{ readonly job: string }>;
  };
  readonly conversations: {
    open(options: {
      user: string;
      title?: string;
      key?: string;
      agent?: string;
    }): Promise<{ readonly id: string }>;
  };
  /** A file beside the bundle's source, such as `./orders.csv`. Refusals `path_refused` outside its folder, `not_found`. */
  asset(path: string): Asset;
  props<P>(props: Props<P>): Readonly<P>;
  use<R>(resource: Resource<R>): Promise<R>;
  /** One internal model call, on the turn's budget where there is one. Nothing valid is Fault `OUTPUT_INVALID`. */
  generate(request: { role?: string; prompt: string }): Promise<string>;
  generate<T>(request: { role?: string; prompt: string; output: z.ZodType<T> }): Promise<T>;
}

export interface UserContext extends Context {
  readonly ids: Ids & { readonly user: string };
  readonly storage: { readonly bundle: KeyValue; readonly user: KeyValue };
}

export type Progress =
  | string
  | { readonly text?: string; readonly fraction?: number; readonly data?: Json };

/** A live page: `await using page = ctx.canvas(…)` closes it. */
export interface Canvas extends AsyncDisposable {
  write(text: string): void;
}

export interface FileBody {
  readonly ref: FileRef;
  /** This and `bytes`: Refusal `too_large` beyond 100 MiB, which only `stream` reads. */
  text(): Promise<string>;
  bytes(): Promise<Uint8Array>;
  stream(): ReadableStream<Uint8Array>;
}

export type MemoryTarget = 'summary' | 'user' | 'assistant' | 'attachment' | 'notes';

export interface TurnContext extends UserContext {
  readonly ids: TurnIds;
  readonly storage: {
    readonly bundle: KeyValue;
    readonly user: KeyValue;
    readonly conversation: KeyValue;
  };
  /** As the model would call it; rejects with the Refusal or Fault. */
  call<S extends z.ZodObject, O>(tool: Tool<string, S, O>, input: z.input<S>): Promise<O>;
  progress(progress: Progress): void;
  emit(type: string, data: Json): void;
  canvas(name: string, options: { mime: string; title?: string }): Canvas;
  readonly sources: {
    add(
      rows: readonly { url: string; title: string; text?: string }[],
    ): Promise<readonly SourceRow[]>;
  };
  readonly files: {
    /** Refusal `not_found` where the path leads nowhere. */
    read(path: string): Promise<FileBody>;
    write(
      path: `outputs/${string}` | `files/${string}`,
      /** A stream, Node's or the web's, is never whole in memory. */
      data: string | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
      options?: { mime?: string; description?: string; visibility?: 'external' | 'internal' },
    ): Promise<FileRef>;
    /**
     * Where whoever may read the conversation opens this file: its name anywhere, `fi:conv_….turn_…`, and an address of
     * the gateway, from the `/` on. Refusals `not_found`, `not_a_file`. A file that this call wrote is there once it has ended.
     */
    host(path: string): Promise<{ readonly rn: string; readonly url: string }>;
  };
  readonly memory: {
    search(request: {
      query?: string;
      targets?: readonly MemoryTarget[];
      /** Turns in order (the newest first), the one at `ordinal`, or those between `from` and `to`. */
      mode?: 'timeline' | 'ordinal' | 'temporal';
      /** From 1; -1 is the last turn before this one. */
      ordinal?: number;
      order?: 'asc' | 'desc';
      /** A date (UTC) or `yesterday`, `3 days ago`, `last week`; `to` is exclusive. */
      from?: string;
      to?: string;
      limit?: number;
    }): Promise<readonly { path: string; text: string; score: number }[]>;
    note(text: string, options?: { tag?: 'P' | 'D' | 'S' | 'A' | 'K' }): Promise<void>;
  };
  /** Refusal `not_found` where the path leads nowhere. */
  read(path: string): Promise<{
    readonly path: string;
    readonly mime: string;
    readonly text?: string;
    readonly data?: Json;
  }>;
}

export interface ToolContext extends TurnContext {
  readonly ids: TurnIds & { readonly call: string };
  /** The same on every retry of this call. */
  readonly key: string;
}

export interface RequestContext extends Context {
  readonly request: Request;
}

/** The answer of an `approval` that wants a person to decide. */
export interface Ask {
  readonly ask: true;
  readonly title: string;
  readonly detail?: string;
  readonly remember?: 'once' | 'turn' | 'conversation';
  readonly timeoutMs?: number;
}

export type ToolOptions<S extends z.ZodObject> = {
  readonly description?: string;
  /** None = unknown: alone in its round. */
  readonly traits?: readonly Trait[];
  /** `none` may be repeated, `keyed` is repeated under the same `ctx.key`, `unkeyed` (default) never is. */
  readonly effects?: 'none' | 'keyed' | 'unkeyed';
  readonly concurrency?: 'safe' | 'alone';
  readonly timeoutMs?: number;
  readonly callsPerTurn?: number;
  /** Characters of the result the model sees. */
  readonly resultLimit?: number;
  /** Arguments the model can neither see nor set. */
  readonly preset?: {
    readonly [K in keyof z.input<S>]?: z.input<S>[K] | ((ctx: ToolContext) => z.input<S>[K]);
  };
  readonly approval?:
    | 'never'
    | 'always'
    | ((input: z.output<S>, ctx: ToolContext) => Awaitable<Ask | Refusal | undefined>);
};

export interface AnyTool {
  readonly id: string;
  readonly definition: 'tool';
}

export interface Tool<Id extends string, S extends z.ZodObject, O> extends AnyTool {
  readonly id: Id;
  readonly input: S;
  readonly '~result'?: O;
  /** The same tool with other options; presets add up. */
  with(options: ToolOptions<S>): Tool<Id, S, O>;
}
