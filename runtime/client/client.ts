/// <reference lib="esnext.disposable" preserve="true" />
import type { Json } from '../base/json.ts';
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

export interface Client extends AsyncDisposable {
  conversation(id?: string, options?: ConversationPlace): Conversation;
  conversations(options?: {
    limit?: number;
  }): Promise<readonly { id: string; title: string; lastActivityAt: string }[]>;
  /** What this server offers to this user. */
  bundles(): Promise<readonly BundleFacts[]>;
  canvas(): AsyncIterable<Delta>;
  operation(bundle: string, id: string, input: Json): Promise<Json>;
  fetch(path: string): Promise<Response>;
}

export type ConnectOptions = {
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
  tools?: Readonly<
    Record<string, (input: never, options: { signal: AbortSignal }) => Json | Promise<Json>>
  >;
};
