import type { Socket } from 'socket.io';
import { Refusal } from '../base/refusal.ts';
import type {
  MessageAck,
  RecallAck,
  StatusAck,
  SubscribeAck,
  WireEnvelope,
} from '../client/envelope.ts';
import { routeOf } from '../client/routes.ts';
import { conversationRequest, subscribeRequest } from '../client/wire.ts';
import type { ConversationRow, Sender } from '../timeline/store.ts';
import { Backlog } from './backlog.ts';
import type { Position } from './cursor.ts';
import type { Desk } from './desk.ts';
import { type Feed, type FeedDeps, openFeed, type Sink } from './feed.ts';
import { subscriptionsPerSocketMax } from './limits.ts';
import { findOwn, startAt } from './own.ts';
import { parseInput } from './parse.ts';

/** One connected socket: what it asks, and what it is told. Closing it ends its subscriptions. */
export class Peer implements AsyncDisposable {
  readonly #deps: FeedDeps;
  readonly #desk: Desk;
  readonly #socket: Socket;
  readonly #sender: Sender;
  readonly #backlog: Backlog;
  readonly #gone = new AbortController();
  readonly #feeds = new Map<string, Feed>();
  /** Subscriptions change one after the other, in the order in which they were asked for. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(deps: FeedDeps, desk: Desk, { socket, sender }: { socket: Socket; sender: Sender }) {
    this.#deps = deps;
    this.#desk = desk;
    this.#socket = socket;
    this.#sender = sender;
    this.#backlog = new Backlog(socket.conn);
  }

  get subscriptions(): number {
    return this.#feeds.size;
  }

  async message(raw: unknown): Promise<MessageAck> {
    const { ack, from } = await this.#desk.take(this.#sender, raw, { signal: this.#gone.signal });
    if (from) await this.#inTurn(async () => this.#followOwn(from.row, from.start));
    return ack;
  }

  subscribe(raw: unknown): Promise<SubscribeAck> {
    return this.#inTurn(() => this.#subscribe(raw));
  }

  unsubscribe(raw: unknown): Promise<{ ok: true }> {
    return this.#inTurn(async () => {
      await this.#close(parseInput(conversationRequest, raw).conversation_id);
      return { ok: true };
    });
  }

  async status(raw: unknown): Promise<StatusAck> {
    const row = await this.#find(parseInput(conversationRequest, raw).conversation_id);
    const state = row.openTurn === undefined ? 'idle' : 'in_progress';
    return { ok: true, state, head: row.head, ...activeTurn(row) };
  }

  async recall(raw: unknown): Promise<RecallAck> {
    const status = await this.#desk.recall(this.#sender, raw, { signal: this.#gone.signal });
    return { ok: true, status };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#gone.abort();
    const feeds = [...this.#feeds.values()];
    this.#feeds.clear();
    await Promise.all([this.#changing, ...feeds.map((feed) => feed[Symbol.asyncDispose]())]);
  }

  async #subscribe(raw: unknown): Promise<SubscribeAck> {
    const { conversation_id, after } = parseInput(subscribeRequest, raw);
    const row = await this.#find(conversation_id);
    const start = startAt(row, after);
    const isNew = !this.#feeds.has(row.id);
    if (isNew && this.#feeds.size >= subscriptionsPerSocketMax) {
      const message = `a socket follows at most ${subscriptionsPerSocketMax} conversations`;
      throw new Refusal('too_many_subscriptions', message);
    }
    await this.#close(row.id);
    this.#open(row, start);
    return { ok: true, head: row.head, ...activeTurn(row) };
  }

  /** Sending follows the conversation from the sender's own event on, unless it is followed already. */
  #followOwn(row: ConversationRow, start: Position): void {
    const isFollowed = this.#feeds.has(row.id);
    if (!isFollowed && this.#feeds.size < subscriptionsPerSocketMax) this.#open(row, start);
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  #find(conversation: string): Promise<ConversationRow> {
    return findOwn(this.#deps.store, this.#sender, { conversation, signal: this.#gone.signal });
  }

  #open(row: ConversationRow, start: Position): void {
    if (this.#gone.signal.aborted) return;
    const sink: Sink = {
      send: (envelope: WireEnvelope) => this.#socket.emit(routeOf(envelope.type), envelope),
      ready: (signal) => this.#backlog.room(signal),
      end: () => {
        if (this.#feeds.get(row.id) === feed) this.#feeds.delete(row.id);
      },
    };
    const feed = openFeed(this.#deps, row, { start, sink });
    this.#feeds.set(row.id, feed);
  }

  async #close(conversation: string): Promise<void> {
    const feed = this.#feeds.get(conversation);
    this.#feeds.delete(conversation);
    await feed?.[Symbol.asyncDispose]();
  }
}

function activeTurn({ openTurn }: ConversationRow): { active_turn_id?: string } {
  return openTurn === undefined ? {} : { active_turn_id: openTurn };
}
