import type { z } from 'zod';
import type { Json } from '../../base/json.ts';
import type { Refusal } from '../../base/refusal.ts';
import type { SourceFacts } from '../../timeline/source-facts.ts';
import type { SourceRow } from '../../timeline/view.ts';
import type { FileRef } from '../../tools/ports/call-services.ts';
import type { Trait } from '../../tools/ports/tool.ts';
import type { EventDefinition, Job, Props, Resource, Secret } from './keys.ts';

/** A tool is called through a context and receives one itself. These types refer to each other, so they share a file. */

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

/** The message is a constant lower-case phrase; variable values go into the facts. */
export type Log = Record<
  'debug' | 'info' | 'warn' | 'error',
  (message: string, facts?: Record<string, unknown>) => void
>;

/** A stored value that no longer fits its schema causes Fault `STORED_INVALID`. */
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

/** A file in the bundle's folder. */
export interface Asset {
  /** Absolute path on this machine. */
  readonly path: string;
  text(): Promise<string>;
  /** Fault `STORED_INVALID` if the content does not fit the schema. */
  json<T>(schema: z.ZodType<T>): Promise<T>;
  bytes(): Promise<Uint8Array>;
  stream(): ReadableStream<Uint8Array>;
}

export interface Context {
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly ids: Ids;
  readonly storage: { readonly bundle: KeyValue };
  /** `get`: Fault `SECRET_MISSING` if it is not set, Refusal `secret_required` if the user has not set it. `matches` compares in constant time. */
  readonly secrets: {
    get(secret: Secret): Promise<string>;
    matches(secret: Secret, given: string | null): Promise<boolean>;
  };
  /** Aborted by `signal`. */
  readonly fetch: typeof fetch;
  /** Durable when it resolves. Repeating a `messageId` has no effect. */
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
  /**
   * Machine feedback on a turn, such as the result of a quality check. It stands beside the feedback of the user. Durable when
   * it resolves. Refusals `not_found`, `invalid_input`.
   */
  feedback(feedback: {
    /** Null takes back earlier feedback of this name. */
    reaction: 'ok' | 'not_ok' | 'neutral' | null;
    text?: string;
    /** From 0 to 1; default 1. */
    confidence?: number;
    /** The check: letters, digits, _ and -. Its newest feedback on a turn counts. Default: `check`. */
    name?: string;
    /** Default: those of the running turn. */
    conversation?: string;
    turn?: string;
    messageId?: string;
  }): Promise<void>;
  /** Work that a tool of this bundle has deferred. */
  readonly tasks: {
    /**
     * Ends a task: the agent reads the result at once, in the open turn or in one of its own. Repeating it changes nothing.
     * `cancelled`: the result was not wanted any more. Refusal `not_found`.
     */
    finish(
      ending: { task: string; conversation?: string } & ({ ret: Json } | { error: string }),
    ): Promise<'finished' | 'failed' | 'cancelled'>;
    /** Refusal `not_found`. */
    state(task: {
      task: string;
      conversation?: string;
    }): Promise<'running' | 'finished' | 'failed' | 'cancelled'>;
  };
  readonly conversations: {
    open(options: {
      user: string;
      title?: string;
      key?: string;
      agent?: string;
    }): Promise<{ readonly id: string }>;
  };
  /** A file next to the bundle's source, such as `./orders.csv`. Refusals `path_refused` (outside the folder), `not_found`. */
  asset(path: string): Asset;
  props<P>(props: Props<P>): Readonly<P>;
  use<R>(resource: Resource<R>): Promise<R>;
  /** One internal model call, charged to the turn's budget if there is a turn. Fault `OUTPUT_INVALID` if the model returns no valid output. */
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
  /** `text` and `bytes`: Refusal `too_large` above 100 MiB. Use `stream` for larger files. */
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
  /** Calls a tool as the model would. Rejects with its Refusal or Fault. */
  call<S extends z.ZodObject, O>(tool: Tool<string, S, O>, input: z.input<S>): Promise<O>;
  progress(progress: Progress): void;
  emit(type: string, data: Json): void;
  canvas(name: string, options: { mime: string; title?: string }): Canvas;
  readonly sources: {
    add(
      /** An address, or the `fi:` path of a file; what else is known of it is shown beside the citation. */
      rows: readonly (SourceFacts & { url: string; title: string; text?: string })[],
    ): Promise<readonly SourceRow[]>;
  };
  readonly files: {
    /** Refusal `not_found` if nothing exists at the path. */
    read(path: string): Promise<FileBody>;
    write(
      path: `outputs/${string}` | `files/${string}`,
      /** A Node or web stream is never held in memory as a whole. */
      data: string | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
      options?: { mime?: string; description?: string; visibility?: 'external' | 'internal' },
    ): Promise<FileRef>;
    /**
     * Where everyone who may read the conversation can open this file: its global name, `fi:conv_….turn_…`, and its gateway
     * address, starting with `/`. Refusals `not_found`, `not_a_file`. A file written by this call exists once the call has ended.
     */
    host(path: string): Promise<{
      readonly rn: string;
      /** The same with its owner: `ef:{tenant}:{project}:chatbot:{stage}:{user}:{conversation}:{turn}:{role}:{path}`. */
      readonly resource: string;
      readonly url: string;
    }>;
  };
  readonly memory: {
    search(request: {
      query?: string;
      targets?: readonly MemoryTarget[];
      /** Turns in order (newest first), the turn at `ordinal`, or the turns between `from` and `to`. */
      mode?: 'timeline' | 'ordinal' | 'temporal';
      /** From 1; -1 is the last turn before this one. */
      ordinal?: number;
      order?: 'asc' | 'desc';
      /** A date (UTC), or `yesterday`, `3 days ago`, `last week`. `to` is exclusive. */
      from?: string;
      to?: string;
      limit?: number;
    }): Promise<readonly { path: string; text: string; score: number }[]>;
    note(text: string, options?: { tag?: 'P' | 'D' | 'S' | 'A' | 'K' }): Promise<void>;
  };
  /** Refusal `not_found` if nothing exists at the path. */
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

/** Returned by an `approval` to request a person's decision. */
export interface Ask {
  readonly ask: true;
  readonly title: string;
  readonly detail?: string;
  readonly remember?: 'once' | 'turn' | 'conversation';
  readonly timeoutMs?: number;
}

export type ToolOptions<S extends z.ZodObject> = {
  readonly description?: string;
  /** Without traits the effect is unknown, so the call runs alone in its round. */
  readonly traits?: readonly Trait[];
  /** `none` may be repeated, `keyed` is repeated with the same `ctx.key`, `unkeyed` (default) is never repeated. */
  readonly effects?: 'none' | 'keyed' | 'unkeyed';
  readonly concurrency?: 'safe' | 'alone';
  readonly timeoutMs?: number;
  readonly callsPerTurn?: number;
  /**
   * After a failed call: `continue` shows the model the error, `fail` fails the turn, `escalate` asks a person which of the
   * two. Default: the agent's `toolFailure`.
   */
  readonly onFailure?: 'continue' | 'fail' | 'escalate';
  /** Characters of the result the model sees. */
  readonly resultLimit?: number;
  /**
   * `page`: a text result is a page for people; the model reads one line with its path. `text`: the model reads the text.
   * Default: HTML documents and long Markdown are pages, unless the tool has the trait `exploration`.
   */
  readonly resultAs?: 'page' | 'text';
  /** `run` may return `deferred(…)`: the work goes on, and `ctx.tasks.finish` ends it. */
  readonly defers?: boolean;
  /** A line that ANNOUNCE shows the model while the tool is visible. */
  readonly hint?: string;
  /** Each value that `run` yields is the whole text so far; the last one is the result, unless `run` returns another. */
  readonly cumulative?: boolean;
  /** Arguments that the model can neither see nor set. */
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
  /** The same tool with other options. Presets are merged. */
  with(options: ToolOptions<S>): Tool<Id, S, O>;
}
