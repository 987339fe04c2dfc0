import { isRefusal, Refusal } from '../../base/refusal.ts';
import type {
  Block,
  ChatEvent,
  Conversation,
  ConversationState,
  Recalled,
  SendOptions,
  Turn,
  TurnFeedback,
} from '../api/types.ts';
import { EventLog, type Mark } from '../events/event-log.ts';
import { Picture } from '../events/state-tracker.ts';
import { isErased, movesOn, toEvent } from '../events/to-event.ts';
import { mint } from '../protocol/mint-id.ts';
import { refusalOf, toRefusal } from '../protocol/to-refusal.ts';
import { toSent } from '../transport/attachments.ts';
import type { Core } from '../transport/client-context.ts';
import type { Follower } from '../transport/subscription.ts';
import { Past, readBlocks } from './history.ts';
import { Management } from './management.ts';
import { type Opening, openingOf, type Saying, type Target } from './target.ts';
import { type Performed, Performer } from './tool-runner.ts';
import { ClientTurn } from './turn.ts';

export class ClientConversation implements Conversation {
  readonly #core: Core;
  readonly #target: Target;
  readonly #log = new EventLog();
  readonly #picture = new Picture();
  readonly #performer: Performer;
  readonly #past: Past;
  readonly #manage: Management;
  readonly #listeners = new Set<() => void>();
  #cursor: string | undefined;
  /** How the first subscription begins, until the server has said where that is. */
  #opening: Opening | undefined;
  #isFollowed = false;
  /** The server has told something of it, or accepted a message. */
  #isKnown = false;

  constructor(core: Core, target: Target) {
    this.#core = core;
    this.#target = target;
    this.#manage = new Management(core, target.id);
    this.#past = new Past((request) =>
      core.connection.request('chat_subscribe', { conversation_id: target.id, ...request }),
    );
    this.#opening = openingOf(target);
    if (!this.#opening) this.#beginAfter(target.isNew ? undefined : target.after);
    this.#performer = new Performer(core.tools, (performed) => this.#answer(performed));
  }

  /** Stops what this client performs for the conversation. */
  close(): void {
    this.#performer[Symbol.dispose]();
  }

  get id(): string {
    return this.#target.id;
  }

  get hasEarlier(): boolean {
    return this.#past.hasMore;
  }

  get cursor(): string | undefined {
    return this.#cursor;
  }

  get state(): ConversationState {
    this.#follow();
    return this.#picture.state;
  }

  onChange(listener: () => void): () => void {
    this.#follow();
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  send(text: string, options: SendOptions = {}): Promise<Turn> {
    return this.#say('prompt', text, options);
  }

  followup(text: string, options: SendOptions = {}): Promise<Turn> {
    return this.#say('followup', text, options);
  }

  steer(text: string, options: SendOptions & { turn?: string } = {}): Promise<Turn> {
    return this.#say('steer', text, options);
  }

  stop(options: { turn?: string } = {}): Promise<Turn> {
    return this.#say('steer', '', options);
  }

  event(...[kind, payload, options = {}]: Parameters<Conversation['event']>): Promise<Turn> {
    return this.#say(kind, undefined, { ...options, payload });
  }

  async decide(...[request, decision]: Parameters<Conversation['decide']>): Promise<void> {
    await this.#say('approval.decision', undefined, { payload: { request, ...decision } });
  }

  async *events({
    after,
    signal,
  }: {
    after?: string;
    signal?: AbortSignal;
  } = {}): AsyncGenerator<ChatEvent> {
    if (!this.#isFollowed && after !== undefined) this.#beginAfter(after);
    const mark = this.#isFollowed ? this.#markAfter(after) : this.#log.start;
    this.#follow();
    yield* this.#log.from(mark, signal);
  }

  async earlier(count: number): Promise<readonly ChatEvent[]> {
    this.#follow();
    const envelopes = await this.#past.earlier(count);
    this.#changed();
    for (const { turn_id } of envelopes) this.#core.remember(turn_id, this.id);
    return envelopes.map(toEvent);
  }

  blocks(): Promise<readonly Block[]> {
    return readBlocks(this.#core, this.id);
  }

  async recall(event_id: string): Promise<Recalled> {
    const { connection, timeoutMs } = this.#core;
    const body = { conversation_id: this.id, event_id };
    const ack = await connection.request('chat_recall', body, { timeoutMs });
    if (!ack.ok) throw toRefusal(ack.error);
    return ack.status;
  }

  feedback(...[turn, given]: Parameters<Conversation['feedback']>): Promise<void> {
    return this.#manage.feedback(turn, given);
  }

  feedbacks(): Promise<readonly TurnFeedback[]> {
    return this.#manage.feedbacks();
  }

  rename(title: string): Promise<void> {
    return this.#manage.rename(title);
  }

  async fork({ at }: { at?: number } = {}): Promise<Conversation> {
    const { bundle, agent } = this.#target;
    return this.#core.open(await this.#manage.fork(at), { bundle, agent });
  }

  erase(): Promise<void> {
    return this.#manage.erase();
  }

  async #say(kind: string, text: string | undefined, saying: Saying): Promise<Turn> {
    const message = saying.messageId ?? mint('msg');
    this.#follow();
    const mark = this.#log.end;
    const isPrompt = kind === 'prompt';
    if (isPrompt) this.#draw(() => this.#picture.pending(message, text ?? ''));
    try {
      const ack = await this.#submit({ kind, text, message, saying });
      if (!ack.ok) throw refusalOf(ack.error, saying.turn);
      this.#isKnown = true;
      this.#core.remember(ack.turn_id, this.id);
      if (isPrompt) this.#draw(() => this.#picture.accepted(message, ack.turn_id));
      return new ClientTurn(this.#home(mark), ack);
    } catch (error) {
      const told = isRefusal(error) ? error : new Refusal('not_sent', 'the message was not sent');
      if (isPrompt) this.#draw(() => this.#picture.failed(message, told));
      throw error;
    }
  }

  async #submit(order: {
    kind: string;
    text: string | undefined;
    message: string;
    saying: Saying;
  }) {
    const { kind, text, message, saying } = order;
    const { connection, http, timeoutMs } = this.#core;
    const { bundle, agent } = this.#target;
    const attachments = await toSent(http, saying);
    const turn = kind === 'steer' ? 'expected_turn_id' : 'target_turn_id';
    const body = {
      conversation_id: this.id,
      message_id: message,
      kind,
      ...(text !== undefined && { text }),
      ...(saying.payload !== undefined && { payload: saying.payload }),
      ...(attachments.length > 0 && { attachments }),
      ...(bundle !== undefined && { bundle_id: bundle }),
      ...(agent !== undefined && { agent_id: agent }),
      ...(saying.turn !== undefined && { [turn]: saying.turn }),
    };
    // What a tool of this client returns is sent however long that takes.
    const deadline = kind === 'external.result' ? {} : { timeoutMs };
    return connection.request('chat_message', body, { signal: saying.signal, ...deadline });
  }

  #home(mark: Mark) {
    return {
      events: () => this.#log.from(mark),
      past: () => this.#log.past(),
      say: (kind: string, text: string, options: Saying) => this.#say(kind, text, options),
      blocks: () => this.blocks(),
      recall: (messageId: string) => this.recall(messageId),
    };
  }

  #markAfter(after: string | undefined): Mark {
    const isStart = after === undefined || after === this.#target.after;
    const mark = isStart ? this.#log.start : this.#log.after(after);
    if (mark) return mark;
    throw new Refusal(
      'cursor_invalid',
      'nothing here has that cursor; give it to client.conversation',
    );
  }

  /** From the first use on: the conversation is followed for as long as the client lives. */
  #follow(): void {
    if (this.#isFollowed) return;
    this.#isFollowed = true;
    const follower = this.#follower();
    this.#core.connection.follow(follower, { subscribe: !this.#target.isNew });
  }

  #follower(): Follower {
    return {
      conversation: this.id,
      isKnown: () => this.#isKnown,
      place: () => this.#place(),
      tell: (envelope) => this.#tell(envelope),
      connected: (connected) => this.#draw(() => this.#picture.connected(connected)),
      subscribing: () => this.#performer.catchUp(),
      subscribed: ({ head, start }) => {
        this.#performer.caughtUpAt(head);
        if (this.#opening) this.#beginAfter(this.#cursor ?? start, start);
      },
      missed: (cursor) => {
        if (this.#opening) this.#beginAfter(cursor);
      },
      refused: (error) => {
        this.#log.close(error);
        this.#past.fail(error);
      },
    };
  }

  #place(): { after?: string; tail?: number } {
    return this.#cursor === undefined ? { ...this.#opening } : { after: this.#cursor };
  }

  /** Subscriptions go on from `cursor`; what came before `start` can be asked for. */
  #beginAfter(cursor: string | undefined, start = cursor): void {
    this.#opening = undefined;
    this.#cursor = cursor;
    this.#past.begin(start);
    this.#changed();
  }

  #tell(envelope: Parameters<Follower['tell']>[0]): void {
    const event = toEvent(envelope);
    this.#isKnown = true;
    if (movesOn(envelope)) this.#cursor = envelope.cursor;
    this.#core.remember(envelope.turn_id, this.id);
    this.#draw(() => this.#picture.tell(event));
    this.#log.append(event);
    if (isErased(envelope)) this.#log.close();
    this.#performer.tell(event);
  }

  #answer(performed: Performed): Promise<Turn> {
    return this.#say('external.result', undefined, { payload: performed });
  }

  #draw(change: () => void): void {
    const before = this.#picture.state;
    change();
    if (this.#picture.state !== before) this.#changed();
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
