/// <reference lib="esnext.disposable" preserve="true" />
import type { Json, JsonObject } from '../../base/json.ts';
import type { Conversation, Cursor, Delta } from './types.ts';

export type BundleFacts = {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  /** Where messages go that name no bundle. */
  readonly default: boolean;
  /** Ids; the first is the default. */
  readonly agents: readonly string[];
  readonly widgets: readonly {
    readonly id: string;
    readonly title: string;
    readonly renders: readonly string[];
    readonly main: boolean;
  }[];
};

export type ConversationPlace = {
  bundle?: string | undefined;
  agent?: string | undefined;
  after?: Cursor | undefined;
  /** Without `after`: begin with the last so many turns (1 to 200). */
  tail?: number;
};

/** What a bundle takes and gives, by id: `typeof bundle`, of a bundle that `defineBundle` made, carries it. */
type Operations<B> = B extends { readonly '~types'?: { readonly operations: infer Each } }
  ? Each
  : Record<string, { readonly input: Json; readonly output: Json }>;
type Input<Call> = Call extends { readonly input: infer Value } ? Value : never;
type Output<Call> = Call extends { readonly output: infer Value } ? Value : never;

type Performs<In, Out> = (input: In, options: { signal: AbortSignal }) => Out | Promise<Out>;
/** Written as a method, so that a function may say which input it expects. */
type Untyped = { perform(...call: Parameters<Performs<JsonObject, Json>>): Json | Promise<Json> };
export type ClientTools<B = unknown> = B extends {
  readonly '~types'?: { readonly tools: infer Each };
}
  ? { readonly [Id in keyof Each]?: Performs<Input<Each[Id]>, Output<Each[Id]>> }
  : Readonly<Record<string, Untyped['perform']>>;

/** Typed from a bundle by `connect<typeof bundle>()`: its operations, and the tools that the client performs. */
export interface Client<B = unknown> extends AsyncDisposable {
  conversation(id?: string, options?: ConversationPlace): Conversation;
  conversations(options?: {
    limit?: number;
  }): Promise<readonly { id: string; title: string; lastActivityAt: string }[]>;
  /** What this server offers to this user. */
  bundles(): Promise<readonly BundleFacts[]>;
  canvas(): AsyncIterable<Delta>;
  operation<Id extends keyof Operations<B> & string>(
    bundle: string,
    id: Id,
    input: Input<Operations<B>[Id]>,
  ): Promise<Output<Operations<B>[Id]>>;
  fetch(path: string): Promise<Response>;
}

export type ConnectOptions<B = unknown> = {
  url?: string;
  tenant?: string;
  project?: string;
  /**
   * Asked at every connect and for every request, and again while it throws. To give up for good, throw a Refusal.
   */
  token?: () => string | Promise<string>;
  /**
   * How long a message waits for its acknowledgement, through any number of reconnects: 30 seconds where absent. Then it
   * rejects with Fault `SERVER_UNREACHABLE`. It may have been taken all the same; the same `messageId` again is taken once.
   */
  timeoutMs?: number;
  /** Dev authentication only: who to be. */
  user?: string;
  transport?: 'socket' | 'sse';
  /** External tools that this client performs, by id. */
  tools?: ClientTools<B>;
};
