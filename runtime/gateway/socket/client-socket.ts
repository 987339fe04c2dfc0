import type { Socket } from 'socket.io';
import { Refusal } from '../../base/refusal.ts';
import type {
  MessageAck,
  RecallAck,
  StatusAck,
  SubscribeAck,
  WireEnvelope,
} from '../../client/protocol/envelope.ts';
import { conversationRequest, subscribeRequest } from '../../client/protocol/request-schemas.ts';
import { routeOf } from '../../client/protocol/routes.ts';
import type { ConversationRow, Sender } from '../../timeline/ports/store.ts';
import { findOwn } from '../auth/find-conversation.ts';
import { type Position, toCursor } from '../feed/cursor.ts';
import { type Feed, type FeedDeps, openFeed, type Sink } from '../feed/feed.ts';
import { startAt, startOfTelling, tailOf, tellPast } from '../feed/history.ts';
import { parseInput } from '../input/parse-input.ts';
import type { Desk } from '../intake/intake.ts';
import { subscriptionsPerSocketMax } from './limits.ts';
import { excessiveEvent } from './packet-guard.ts';
import { Backlog } from './send-backlog.ts';

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

  /** The acknowledgement of an event. Refusals, `unknown_event` among them. */
  answer(event: string, raw: unknown): Promise<object> {
    switch (event) {
      case 'chat_message':
        return this.message(raw);
      case 'chat_subscribe':
        return this.subscribe(raw);
      case 'chat_unsubscribe':
        return this.unsubscribe(raw);
      case 'conv_status':
        return this.status(raw);
      case 'chat_recall':
        return this.recall(raw);
      default:
        return Promise.reject(notAnswered(event, raw));
    }
  }

  async message(raw: unknown): Promise<MessageAck> {
    const { ack, from } = await this.#desk.take(this.#sender, raw, { signal: this.#gone.signal });
    if (!from || !ack.ok) return ack;
    const subscribed = await this.#inTurn(() => this.#followOwn(from.row, from.start));
    return { ...ack, subscribed };
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
    const { conversation_id, after, tail: turns, before } = parseInput(subscribeRequest, raw);
    const row = await this.#find(conversation_id);
    const place = { store: this.#deps.store, signal: this.#gone.signal };
    const facts = { ok: true as const, head: row.head, ...activeTurn(row) };
    if (before !== undefined) {
      const to = startAt(row, before);
      const from = await tailOf(row, { turns: turns ?? 1, until: to.seq }, place);
      return {
        ...facts,
        ...moreBefore(row, from),
        earlier: await tellPast(row, { from, to }, place),
      };
    }
    const start = await startOfTelling(row, { after, tail: turns }, place);
    if (!(await this.#makeRoom(row.id))) {
      const message = `all ${subscriptionsPerSocketMax} conversations that this socket follows have a turn in progress`;
      throw new Refusal('too_many_subscriptions', message, { retryable: true });
    }
    await this.#close(row.id);
    this.#open(row, start);
    const isNamed = turns !== undefined || after === 'now';
    return { ...facts, ...(isNamed && moreBefore(row, start)) };
  }

  /** Sending follows the conversation from the sender's own event on, unless it is followed already. False: no room. */
  async #followOwn(row: ConversationRow, start: Position): Promise<boolean> {
    if (this.#feeds.has(row.id)) return true;
    if (!(await this.#makeRoom(row.id))) return false;
    this.#open(row, start);
    return true;
  }

  /** A finished conversation gives way, the one that was silent longest first. */
  async #makeRoom(conversation: string): Promise<boolean> {
    if (this.#feeds.has(conversation) || this.#feeds.size < subscriptionsPerSocketMax) return true;
    const silent = [...this.#feeds].find(([, feed]) => !feed.isAtWork);
    if (!silent) return false;
    const [id, feed] = silent;
    feed.giveWay();
    await this.#close(id);
    return true;
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
      send: (envelope: WireEnvelope) => {
        this.#socket.emit(routeOf(envelope.type), envelope);
        this.#keepLast(row.id);
      },
      ready: (signal) => this.#backlog.room(signal),
      end: () => {
        if (this.#feeds.get(row.id) === feed) this.#feeds.delete(row.id);
      },
    };
    const feed = openFeed(this.#deps, row, { start, sink });
    this.#feeds.set(row.id, feed);
  }

  /** Who was told something last stands last. */
  #keepLast(conversation: string): void {
    const feed = this.#feeds.get(conversation);
    if (!feed || !this.#feeds.delete(conversation)) return;
    this.#feeds.set(conversation, feed);
  }

  async #close(conversation: string): Promise<void> {
    const feed = this.#feeds.get(conversation);
    this.#feeds.delete(conversation);
    await feed?.[Symbol.asyncDispose]();
  }
}

function notAnswered(event: string, raw: unknown): Refusal {
  if (event !== excessiveEvent) {
    return new Refusal('unknown_event', `there is no event "${event.slice(0, 80)}"`);
  }
  const because = String(raw).slice(0, 200);
  return new Refusal('invalid_input', `the message is too complex: ${because}`);
}

function moreBefore({ id }: ConversationRow, from: Position): { start?: string } {
  return from.seq > 0 ? { start: toCursor(id, from) } : {};
}

function activeTurn({ openTurn }: ConversationRow): { active_turn_id?: string } {
  return openTurn === undefined ? {} : { active_turn_id: openTurn };
}
