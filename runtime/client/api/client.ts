/// <reference lib="esnext.disposable" preserve="true" />
import type { Json, JsonObject } from '../../base/json.ts';
import type { ClientAccount } from './account.ts';
import type { Conversation, Cursor, Delta } from './types.ts';

export type BundleFacts = {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  /** Whether this bundle receives messages that name no bundle. */
  readonly default: boolean;
  /** Ids; the first is the default. */
  readonly agents: readonly string[];
  readonly widgets: readonly {
    readonly id: string;
    readonly title: string;
    readonly renders: readonly string[];
    readonly main: boolean;
  }[];
  /** What the agents suggest to ask first, by agent. */
  readonly firstMessages?: Readonly<Record<string, readonly string[]>>;
  /** The models that users may choose for a turn (`options.model`), by agent. */
  readonly modelChoices?: Readonly<Record<string, readonly string[]>>;
};

export type ConversationPlace = {
  bundle?: string | undefined;
  agent?: string | undefined;
  after?: Cursor | undefined;
  /** Without `after`: the number of latest turns to begin with (1 to 200). */
  tail?: number;
};

export type ConversationFacts = {
  readonly id: string;
  /** Empty until the agent or the user has given it one. */
  readonly title: string;
  readonly createdAt: string;
  readonly lastActivityAt: string;
  readonly pinned: boolean;
  /** Whether a turn is running, or waiting. */
  readonly working: boolean;
  /** Whether the turn waits for a decision of the user. */
  readonly waiting: boolean;
  /** The conversation that this one continues, after the block with this seq. */
  readonly forkedFrom?: { readonly conversation: string; readonly seq: number };
};

export type ConversationQuery = {
  limit?: number;
  /** Part of a title, an id, or beginnings of words that one message, answer or file has. */
  q?: string;
  /** `working`: a turn is running. `waiting`: a turn waits for a decision of the user. */
  state?: 'working' | 'waiting' | 'idle';
  /** `nextCursor` of the page before. */
  cursor?: string;
};

export type ConversationPage = {
  readonly items: readonly ConversationFacts[];
  /** Absent: this is the last page. */
  readonly nextCursor?: string;
};

/** Input and output types by operation id. `typeof bundle`, of a bundle made by `defineBundle`, carries them. */
type Operations<B> = B extends { readonly '~types'?: { readonly operations: infer Each } }
  ? Each
  : Record<string, { readonly input: Json; readonly output: Json }>;
type Input<Call> = Call extends { readonly input: infer Value } ? Value : never;
type Output<Call> = Call extends { readonly output: infer Value } ? Value : never;

type Performs<In, Out> = (input: In, options: { signal: AbortSignal }) => Out | Promise<Out>;
/** Declared as a method, so that a function may narrow its input type. */
type Untyped = { perform(...call: Parameters<Performs<JsonObject, Json>>): Json | Promise<Json> };
export type ClientTools<B = unknown> = B extends {
  readonly '~types'?: { readonly tools: infer Each };
}
  ? { readonly [Id in keyof Each]?: Performs<Input<Each[Id]>, Output<Each[Id]>> }
  : Readonly<Record<string, Untyped['perform']>>;

/** A fact that a conversation has left in the long-term memory. */
export type FactEntry = {
  readonly id: string;
  readonly text: string;
  /** Who can use it: the user, all users of the agent, or the whole tenant. */
  readonly scope: 'user' | 'agent' | 'tenant';
  /** `bundle/agent` that recorded it. */
  readonly agent: string;
  readonly conversation: string;
  /** ISO 8601. */
  readonly at: string;
};

/** The facts that the user's conversations have left. No later prompt contains a forgotten fact. */
export type ClientMemory = {
  /** Newest first. */
  list(): Promise<readonly FactEntry[]>;
  /** Refusal `not_found`. */
  forget(id: string): Promise<void>;
  /** Everything, or what comes from one conversation. Returns the number of facts. */
  forgetAll(options?: { conversation?: string }): Promise<number>;
};

/** `connect<typeof bundle>()` types its operations and the tools that the client runs. */
export interface Client<B = unknown> extends AsyncDisposable {
  /**
   * The same object for the same id. Without an id: a new conversation. Options of a conversation that is already in use here
   * have to be those that it was opened with, or missing; others throw Refusal `already_open`.
   */
  conversation(id?: string, options?: ConversationPlace): Conversation;
  /** The user's conversations: pinned ones first, then the newest activity first. */
  conversations(options?: ConversationQuery): Promise<ConversationPage>;
  /** Calls `changed` when `conversations` may have changed, and after each reconnect. Returns a function that ends this. */
  onListChange(changed: () => void): () => void;
  /** The bundles that this server offers to this user. */
  bundles(): Promise<readonly BundleFacts[]>;
  readonly memory: ClientMemory;
  readonly account: ClientAccount;
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
   * Called for every connection and every request, and again while it throws. Throw a Refusal to stop permanently.
   */
  token?: () => string | Promise<string>;
  /**
   * How long a message waits for its acknowledgement, across reconnects. Default: 30 seconds. Then it rejects with Fault
   * `SERVER_UNREACHABLE`. The server may still have accepted it; sending the same `messageId` again is safe.
   */
  timeoutMs?: number;
  /** Development authentication only: the user name. */
  user?: string;
  transport?: 'socket' | 'sse';
  /** External tools that this client runs, by id. */
  tools?: ClientTools<B>;
};
