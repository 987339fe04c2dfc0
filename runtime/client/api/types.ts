import type { Json } from '../../base/json.ts';
import type { EventStatus } from '../protocol/envelope.ts';
import type { ApprovalData } from './approval.ts';
import type { ConversationState } from './story.ts';
import type { CloseReason, FileRef, Reaction, Source, Usage } from './values.ts';

export type Block = {
  readonly seq: number;
  readonly turn: string;
  readonly at: string;
  readonly type: string;
  readonly author: string;
  readonly path?: string;
  readonly call?: string;
  readonly mime?: string;
  readonly text?: string;
  readonly data?: Json;
  readonly meta: Readonly<Record<string, Json>>;
};

/** Opaque. Subscriptions resume right after the event that carries it. */
export type Cursor = string;
export type Attachment =
  | File
  | {
      readonly name: string;
      readonly mime: string;
      readonly data: Uint8Array | ReadableStream<Uint8Array>;
    };

type Envelope<Type extends string, More> = More & {
  readonly type: Type;
  readonly cursor: Cursor;
  readonly seq: number;
  readonly ts: string;
  readonly conversationId: string;
  readonly turnId: string;
  readonly round?: number;
  readonly event: {
    readonly agent: string;
    /** For `chat.step`: the kind of step, such as `react.thinking`, `round.open` or `event.landed`. */
    readonly step: string;
    readonly status: EventStatus;
    readonly title?: string;
  };
};

export type Delta = {
  readonly channel: string;
  readonly instance: number;
  readonly stream: string;
  readonly marker: string;
  readonly text: string;
  /** In UTF-16 units from the start of the stream. 0 starts or restarts the stream. */
  readonly offset: number;
  readonly completed: boolean;
  readonly artifact?: string;
  /** MIME type of a canvas, as declared. */
  readonly mime?: string;
  readonly title?: string;
};

type ToolData = {
  readonly call: string;
  readonly tool: string;
  readonly input: Json;
  readonly state: 'awaiting_approval' | 'running' | 'external' | 'done';
  readonly result?: Json;
};
/** The sources that a string of a structured output cites. `path` is its JSON pointer. */
export type OutputCitation = { readonly path: string; readonly sids: readonly number[] };
/** A call that the caller performs itself. */
export type HandedOffCall = { readonly call: string; readonly tool: string; readonly input: Json };
type CompleteData = {
  readonly text: string;
  readonly reason: CloseReason;
  /** With the reason `handed_off`. */
  readonly calls?: readonly HandedOffCall[];
  readonly output?: Json;
  readonly citations?: readonly OutputCitation[];
};
type ServiceData = {
  readonly code: string;
  readonly message: string;
  readonly retryAfterMs?: number;
};

export type ChatEvent =
  | Envelope<
      'chat.start',
      {
        readonly data: {
          readonly text: string;
          readonly bundle_id?: string;
          readonly agent_id?: string;
        };
      }
    >
  | Envelope<'chat.step', { readonly data?: Json }>
  | Envelope<'chat.delta', { readonly delta: Delta }>
  | Envelope<'chat.tool', { readonly data: ToolData }>
  | Envelope<'chat.approval', { readonly data: ApprovalData }>
  | Envelope<'chat.files', { readonly data: { readonly items: readonly FileRef[] } }>
  | Envelope<'chat.citations', { readonly data: { readonly items: readonly Source[] } }>
  | Envelope<'chat.followups', { readonly data: { readonly items: readonly string[] } }>
  | Envelope<
      'chat.compaction',
      {
        readonly data: {
          readonly compaction_id?: string;
          readonly before_tokens?: number;
          readonly after_tokens?: number;
          /** Why nothing was compacted. */
          readonly reason?: string;
        };
      }
    >
  | Envelope<'chat.complete', { readonly data: CompleteData }>
  | Envelope<'chat.error', { readonly data: { readonly code: string; readonly message: string } }>
  | Envelope<'chat.service', { readonly data: ServiceData }>
  | Envelope<
      'conv.status',
      {
        readonly data: { readonly state: 'created' | 'in_progress' | 'idle' | 'error' | 'deleted' };
      }
    >;

export type TurnResult<O = unknown> = {
  readonly reason: CloseReason;
  readonly text: string;
  readonly degraded: boolean;
  /** Undefined if the turn has no output or, with `error`, if the output does not fit. */
  readonly output: O;
  /** The sources that the strings of `output` cite. */
  readonly citations: readonly OutputCitation[];
  readonly files: readonly FileRef[];
  readonly sources: readonly Source[];
  readonly usage: Usage;
  /** By model role: `decision`, `answer`, `summary`, `selection`, `small`. */
  readonly usageByRole: Readonly<Record<string, Usage>>;
  /** With the reason `handed_off`: the calls that the caller performs. */
  readonly calls?: readonly HandedOffCall[];
  readonly error?: { readonly code: string; readonly message: string };
};

export type ForkOptions = {
  /** The block of this conversation from which the new one continues. Default: the latest. */
  readonly at?: number;
  /** Who answers the next message. Default: who answers in this conversation. */
  readonly bundle?: string;
  readonly agent?: string;
};

export type SendOptions = {
  /**
   * Generated if absent. Unique per user across all conversations. A repeated id with the same body is accepted once (`status`
   * `duplicate`); with another body, or in another conversation, it is refused with `conflict`.
   */
  messageId?: string;
  attachments?: readonly Attachment[];
  /**
   * For the turn that the message opens, within what its agent allows: at most the rounds of the agent, and programs only if
   * it runs any; the model that decides and answers, out of its `modelChoices`. A message that joins an open turn does not
   * change it.
   */
  options?: { maxRounds?: number; exec?: boolean; model?: string };
  onUpload?: (upload: { name: string; sent: number; total: number }) => void;
  signal?: AbortSignal;
};

/** Validates and types a structured output, for example a zod schema. */
export type OutputSchema<T> = {
  safeParseAsync(value: unknown): Promise<
    | { readonly success: true; readonly data: T }
    | {
        readonly success: false;
        readonly error: { readonly issues: readonly { readonly message: string }[] };
      }
  >;
};

/** `already_consumed`: the model has already read the message, so it was not recalled. */
export type Recalled = 'recalled' | 'already_consumed';

export interface Turn {
  readonly id: string;
  readonly seq: number;
  readonly status: 'started' | 'queued' | 'duplicate';
  channel(name: string): AsyncIterable<Delta>;
  events(): AsyncIterable<ChatEvent>;
  blocks(): Promise<readonly Block[]>;
  followup(text: string, options?: SendOptions): Promise<Turn>;
  steer(text: string, options?: SendOptions): Promise<Turn>;
  stop(): Promise<Turn>;
  /** Recalls the message that this handle came from, unless the model has already read it. */
  recall(): Promise<Recalled>;
  /** Also resolves for a failed turn (`reason`, `error`). Rejects only if the client is closed or permanently refused. */
  done(): Promise<TurnResult>;
  done<T>(options: { output: OutputSchema<T> }): Promise<TurnResult<T>>;
}

export type { ConversationState };

export type TurnFeedback = {
  readonly turn: string;
  /** ISO time. */
  readonly at: string;
  readonly origin: 'user' | 'machine';
  readonly reaction: Reaction;
  readonly text: string;
  /** The texts of the turn. */
  readonly prompt?: string;
  readonly answer?: string;
};

export type EventOptions = {
  readonly after?: Cursor;
  readonly signal?: AbortSignal;
  /**
   * Also the events of all agents that work for the conversation, from their beginning on. `conversationId` says whose an event
   * is. The event that reports the end of an agent follows the events of that agent.
   */
  readonly family?: boolean;
};

export interface Conversation {
  readonly id: string;
  readonly cursor: Cursor | undefined;
  readonly state: ConversationState;
  onChange(listener: () => void): () => void;
  send(text: string, options?: SendOptions): Promise<Turn>;
  followup(text: string, options?: SendOptions): Promise<Turn>;
  steer(text: string, options?: SendOptions & { turn?: string }): Promise<Turn>;
  stop(options?: { turn?: string }): Promise<Turn>;
  event(kind: string, payload: Json, options?: SendOptions & { reactive?: boolean }): Promise<Turn>;
  decide(
    request: string,
    decision: { allow: boolean; remember?: 'once' | 'turn' | 'conversation'; input?: Json },
  ): Promise<void>;
  /** Recalls a message by its id, unless the model has already read it. */
  recall(messageId: string): Promise<Recalled>;
  /** Removes a message that was not accepted from `state`. */
  discard(messageId: string): void;
  /** Each event once, in order. Ends when the client is closed or the conversation is erased. */
  events(options?: EventOptions): AsyncIterable<ChatEvent>;
  /**
   * Loads the `count` turns (1 to 200) before the first known event, adds them to `state`, and returns their events, oldest
   * first. Empty at the beginning.
   */
  earlier(count: number): Promise<readonly ChatEvent[]>;
  /** Whether `earlier` has more events to load. False until the server has reported the position of the first known event. */
  readonly hasEarlier: boolean;
  blocks(): Promise<readonly Block[]>;
  feedback(turn: string, feedback: { reaction: Reaction | null; text?: string }): Promise<void>;
  /** Current feedback on the turns of the last year, oldest turn first: at most 200 turns. */
  feedbacks(): Promise<readonly TurnFeedback[]>;
  rename(title: string): Promise<void>;
  /** Pinned conversations come first in the list. */
  pin(pinned: boolean): Promise<void>;
  /** A new conversation that continues this one. */
  fork(options?: ForkOptions): Promise<Conversation>;
  /** Permanent: the conversation can no longer be read, and its id cannot be reused. */
  erase(): Promise<void>;
}
