import type {
  Block,
  ChatEvent,
  Conversation,
  ConversationState,
  EventOptions,
  Recalled,
  SendOptions,
  Turn,
  TurnFeedback,
} from '../api/types.ts';
import { EventLog, type Position } from '../events/event-log.ts';
import { StateTracker } from '../events/state-tracker.ts';
import { advancesCursor, isErased, toEvent } from '../events/to-event.ts';
import { toSendRefusal, toTurnRefusal, unknownCursor } from '../protocol/to-refusal.ts';
import { sendAttachments } from '../transport/attachments.ts';
import type { ClientContext } from '../transport/client-context.ts';
import type { Follower } from '../transport/subscription.ts';
import { followFamily } from './follow-family.ts';
import { History, readBlocks, readBlocksOnceReachable } from './history.ts';
import { Management } from './management.ts';
import { type PlaceOptions, reopened } from './reopen.ts';
import {
  type ConversationTarget,
  type MessageOptions,
  type MessageOrder,
  messageIdOf,
  type StartAt,
  startOf,
  toMessageBody,
  toOwnMessage,
} from './target.ts';
import { ToolRunner } from './tool-runner.ts';
import { ClientTurn } from './turn.ts';

export class ClientConversation implements Conversation {
  readonly #context: ClientContext;
  #target: ConversationTarget;
  readonly #log = new EventLog();
  readonly #tracker = new StateTracker();
  readonly #toolRunner: ToolRunner;
  readonly #history: History;
  readonly #management: Management;
  readonly #listeners = new Set<() => void>();
  #cursor: string | undefined;
  /** How the first subscription begins, until the server has reported its position. */
  #startAt: StartAt | undefined;
  #isFollowing = false;
  /** The server has sent an event of this conversation, or accepted a message. */
  #isKnown = false;

  constructor(core: ClientContext, target: ConversationTarget) {
    this.#context = core;
    this.#target = target;
    this.#management = new Management(core, target.id);
    this.#history = new History((request) =>
      core.connection.request('chat_subscribe', { conversation_id: target.id, ...request }),
    );
    this.#begin();
    this.#toolRunner = new ToolRunner(core.tools, (payload) =>
      this.#send('external.result', undefined, { payload }),
    );
  }

  /** The conversation is opened again. Refusal `already_open`. */
  reopen(place: PlaceOptions): void {
    this.#target = reopened(this.#target, place, { isUsed: this.#isFollowing });
    if (!this.#isFollowing) this.#begin();
  }

  /** Stops the tool calls that this client runs for the conversation. */
  close(): void {
    this.#toolRunner[Symbol.dispose]();
  }

  get id(): string {
    return this.#target.id;
  }

  get hasEarlier(): boolean {
    return this.#history.hasEarlier;
  }

  get cursor(): string | undefined {
    return this.#cursor;
  }

  get state(): ConversationState {
    this.#follow();
    return this.#tracker.state;
  }

  onChange(listener: () => void): () => void {
    this.#follow();
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  send(text: string, options: SendOptions = {}): Promise<Turn> {
    return this.#send('prompt', text, options);
  }

  followup(text: string, options: SendOptions = {}): Promise<Turn> {
    return this.#send('followup', text, options);
  }

  steer(text: string, options: SendOptions & { turn?: string } = {}): Promise<Turn> {
    return this.#send('steer', text, options);
  }

  stop(options: { turn?: string } = {}): Promise<Turn> {
    return this.#send('steer', '', options);
  }

  event(...[kind, payload, options = {}]: Parameters<Conversation['event']>): Promise<Turn> {
    return this.#send(kind, undefined, { ...options, payload });
  }

  async decide(...[request, decision]: Parameters<Conversation['decide']>): Promise<void> {
    await this.#send('approval.decision', undefined, { payload: { request, ...decision } });
  }

  events({ family = false, ...options }: EventOptions = {}): AsyncIterable<ChatEvent> {
    const events = (signal = options.signal) => this.#events(options.after, signal);
    return family ? followFamily(this.id, events, { ...this.#context, ...options }) : events();
  }

  async *#events(after?: string, signal?: AbortSignal): AsyncGenerator<ChatEvent> {
    if (!this.#isFollowing && after !== undefined) this.#beginAfter(after);
    const mark = this.#isFollowing ? this.#markAfter(after) : this.#log.start;
    this.#follow();
    yield* this.#log.from(mark, signal);
  }

  async earlier(count: number): Promise<readonly ChatEvent[]> {
    this.#follow();
    const envelopes = await this.#history.earlier(count);
    for (const { turn_id } of envelopes) this.#context.remember(turn_id, this.id);
    const events = envelopes.map(toEvent);
    this.#tracker.earlier(events);
    this.#notifyListeners();
    return events;
  }

  blocks(): Promise<readonly Block[]> {
    return readBlocks(this.#context, this.id);
  }

  recall(messageId: string): Promise<Recalled> {
    return this.#management.recall(messageId);
  }

  discard(messageId: string): void {
    this.#update(() => this.#tracker.discard(messageId));
  }

  feedback(...[turn, given]: Parameters<Conversation['feedback']>): Promise<void> {
    return this.#management.feedback(turn, given);
  }

  feedbacks(): Promise<readonly TurnFeedback[]> {
    return this.#management.feedbacks();
  }

  rename(title: string): Promise<void> {
    return this.#management.rename(title);
  }

  pin(pinned: boolean): Promise<void> {
    return this.#management.pin(pinned);
  }

  async fork({ at, ...place }: Parameters<Conversation['fork']>[0] = {}): Promise<Conversation> {
    const { bundle, agent } = { ...this.#target, ...place };
    return this.#context.open(await this.#management.fork(at), { bundle, agent });
  }

  erase(): Promise<void> {
    return this.#management.erase();
  }

  async #send(kind: string, text: string | undefined, saying: MessageOptions): Promise<Turn> {
    const message = messageIdOf(saying);
    this.#follow();
    const mark = this.#log.end;
    const own = toOwnMessage({ kind, text, message, saying });
    if (own) this.#update(() => this.#tracker.sending(own));
    try {
      const ack = await this.#submit({ kind, text, message, saying });
      if (!ack.ok) throw toTurnRefusal(ack.error, saying.turn);
      this.#isKnown = true;
      this.#context.remember(ack.turn_id, this.id);
      if (own) this.#update(() => this.#tracker.accepted(own, ack.turn_id));
      return new ClientTurn(this.#turnHome(mark), ack);
    } catch (error) {
      if (own) this.#update(() => this.#tracker.failed(own, toSendRefusal(error)));
      throw error;
    }
  }

  async #submit({ kind, text, message, saying }: MessageOrder) {
    const { connection, http, timeoutMs } = this.#context;
    const { bundle, agent } = this.#target;
    const attachments = await sendAttachments(http, saying);
    const body = toMessageBody({ kind, text, message, saying, attachments, bundle, agent });
    const named = { conversation_id: this.id, ...body };
    // A tool result has no deadline.
    const deadline = kind === 'external.result' ? {} : { timeoutMs };
    return connection.request('chat_message', named, { signal: saying.signal, ...deadline });
  }

  #turnHome(mark: Position) {
    return {
      events: () => this.#log.from(mark),
      past: () => this.#log.past(),
      send: (kind: string, text: string, options: MessageOptions) =>
        this.#send(kind, text, options),
      blocks: () => this.blocks(),
      blocksOnceReachable: () => readBlocksOnceReachable(this.#context, this.id),
      recall: (messageId: string) => this.recall(messageId),
    };
  }

  #markAfter(after: string | undefined): Position {
    const isStart = after === undefined || after === this.#target.after;
    const mark = isStart ? this.#log.start : this.#log.after(after);
    if (mark) return mark;
    throw unknownCursor();
  }

  /** Follows the conversation from its first use until the client closes. */
  #follow(): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    const follower = this.#follower();
    this.#context.connection.follow(follower, { subscribe: !this.#target.isNew });
  }

  #follower(): Follower {
    return {
      conversation: this.id,
      isKnown: () => this.#isKnown,
      isExpected: () => this.#target.isExpected?.() === true,
      position: () => (this.#cursor === undefined ? { ...this.#startAt } : { after: this.#cursor }),
      receive: (envelope) => this.#receive(envelope),
      connected: (connected) => this.#update(() => this.#tracker.connected(connected)),
      subscribing: () => this.#toolRunner.catchUp(),
      subscribed: ({ head, start }) => {
        this.#toolRunner.caughtUpAt(head);
        if (this.#startAt) this.#beginAfter(this.#cursor ?? start, start);
      },
      missed: (cursor) => {
        if (this.#startAt) this.#beginAfter(cursor);
      },
      refused: (error) => {
        this.#log.close(error);
        this.#history.fail(error);
      },
    };
  }

  #begin(): void {
    this.#startAt = startOf(this.#target);
    if (!this.#startAt) this.#beginAfter(this.#target.isNew ? undefined : this.#target.after);
  }

  /** Subscriptions continue from `cursor`. Events before `start` can be loaded. */
  #beginAfter(cursor: string | undefined, start = cursor): void {
    this.#startAt = undefined;
    this.#cursor = cursor;
    this.#history.begin(start);
    this.#notifyListeners();
  }

  #receive(envelope: Parameters<Follower['receive']>[0]): void {
    const event = toEvent(envelope);
    this.#isKnown = true;
    if (advancesCursor(envelope)) this.#cursor = envelope.cursor;
    this.#context.remember(envelope.turn_id, this.id);
    this.#update(() => this.#tracker.apply(event));
    this.#log.append(event);
    if (isErased(envelope)) this.#log.close();
    this.#toolRunner.handle(event);
  }

  #update(change: () => void): void {
    const before = this.#tracker.state;
    change();
    if (this.#tracker.state !== before) this.#notifyListeners();
  }

  #notifyListeners(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
