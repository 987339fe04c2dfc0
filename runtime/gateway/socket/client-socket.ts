import type { Socket } from 'socket.io';
import { Refusal } from '../../base/refusal.ts';
import type {
  MessageAck,
  RecallAck,
  StatusAck,
  SubscribeAck,
} from '../../client/protocol/envelope.ts';
import {
  conversationRequest,
  listRequest,
  subscribeRequest,
} from '../../client/protocol/request-schemas.ts';
import type { ConversationRow, Sender } from '../../timeline/ports/store.ts';
import { findConversation } from '../auth/find-conversation.ts';
import { type Position, toCursor } from '../feed/cursor.ts';
import type { FeedDeps, FollowedConversation } from '../feed/feed.ts';
import { lastSent, readHistory, resolveStart, startAt, startOfTail } from '../feed/history.ts';
import { parseInput } from '../input/parse-input.ts';
import type { Intake } from '../intake/intake.ts';
import { subscriptionsPerSocketMax } from './limits.ts';
import { ListChanges } from './list-changes.ts';
import { excessiveEvent } from './packet-guard.ts';
import { Subscriptions } from './subscriptions.ts';

/** One connected socket: its requests and its subscriptions. Closing it ends the subscriptions. */
export class ClientSocket implements AsyncDisposable {
  readonly #deps: FeedDeps;
  readonly #intake: Intake;
  readonly #socket: Socket;
  readonly #sender: Sender;
  readonly #closed = new AbortController();
  readonly #subscriptions: Subscriptions;
  #listChanges: ListChanges | undefined;
  /** Changes of subscriptions run one at a time, in request order. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(
    deps: FeedDeps,
    intake: Intake,
    { socket, sender }: { socket: Socket; sender: Sender },
  ) {
    this.#deps = deps;
    this.#intake = intake;
    this.#socket = socket;
    this.#sender = sender;
    this.#subscriptions = new Subscriptions(deps, socket);
  }

  get subscriptions(): number {
    return this.#subscriptions.size;
  }

  /** The acknowledgement of an event. Rejects with refusals, `unknown_event` among them. */
  answer(event: string, raw: unknown): Promise<object> {
    switch (event) {
      case 'chat_message':
        return this.message(raw);
      case 'chat_subscribe':
        return this.subscribe(raw);
      case 'chat_unsubscribe':
        return this.unsubscribe(raw);
      case 'list_subscribe':
        return this.followList(raw);
      case 'conv_status':
        return this.status(raw);
      case 'chat_recall':
        return this.recall(raw);
      default:
        return Promise.reject(unknownEvent(event, raw));
    }
  }

  async message(raw: unknown): Promise<MessageAck> {
    const { ack, from } = await this.#intake.take(this.#sender, raw, {
      signal: this.#closed.signal,
    });
    if (!from || !ack.ok) return ack;
    const subscribed = await this.#serialize(() => this.#followSent(from.row, from.start));
    return { ...ack, subscribed };
  }

  subscribe(raw: unknown): Promise<SubscribeAck> {
    return this.#serialize(() => this.#subscribe(raw));
  }

  unsubscribe(raw: unknown): Promise<{ ok: true }> {
    return this.#serialize(async () => {
      await this.#subscriptions.close(parseInput(conversationRequest, raw).conversation_id);
      return { ok: true };
    });
  }

  async followList(raw: unknown): Promise<{ ok: true }> {
    parseInput(listRequest, raw);
    const tell = () => void this.#socket.emit('list_changed', { v: 1, type: 'list.changed' });
    if (!this.#closed.signal.aborted)
      this.#listChanges ??= new ListChanges(this.#deps, { owner: this.#sender, tell });
    return { ok: true };
  }

  async status(raw: unknown): Promise<StatusAck> {
    const row = await this.#find(parseInput(conversationRequest, raw).conversation_id);
    const state = row.openTurn === undefined ? 'idle' : 'in_progress';
    return { ok: true, state, head: row.head, ...activeTurn(row) };
  }

  async recall(raw: unknown): Promise<RecallAck> {
    const status = await this.#intake.recall(this.#sender, raw, { signal: this.#closed.signal });
    return { ok: true, status };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    this.#listChanges?.[Symbol.dispose]();
    await Promise.all([this.#changing, this.#subscriptions[Symbol.asyncDispose]()]);
  }

  async #subscribe(raw: unknown): Promise<SubscribeAck> {
    const { conversation_id, after, tail: turns, before } = parseInput(subscribeRequest, raw);
    const row = await this.#find(conversation_id);
    const place = { store: this.#deps.store, signal: this.#closed.signal };
    const facts = { ok: true as const, head: row.head, ...activeTurn(row) };
    if (before !== undefined) {
      const to = startAt(row, before);
      const from = await startOfTail(row, { turns: turns ?? 1, until: to.seq }, place);
      return {
        ...facts,
        ...earlierStart(row, from),
        earlier: await readHistory(row, { from, to }, place),
      };
    }
    const start = await resolveStart(row, { after, tail: turns }, place);
    const head = row.openTurn === undefined ? row.head : await lastSent(row, place);
    if (!(await this.#subscriptions.makeRoom(row.id))) {
      const message = `all ${subscriptionsPerSocketMax} conversations that this socket follows have a turn in progress`;
      throw new Refusal('too_many_subscriptions', message, { retryable: true });
    }
    await this.#subscriptions.close(row.id);
    this.#subscriptions.open(row, start);
    const isNamed = turns !== undefined || after === 'now';
    return { ...facts, head, ...(isNamed && earlierStart(row, start)) };
  }

  /**
   * Subscribes the sender to the conversation, starting at the sent event, unless it is subscribed already. False: no
   * room.
   */
  async #followSent(row: FollowedConversation, start: Position): Promise<boolean> {
    if (this.#subscriptions.has(row.id)) return true;
    if (!(await this.#subscriptions.makeRoom(row.id))) return false;
    this.#subscriptions.open(row, start);
    return true;
  }

  #serialize<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  #find(conversation: string): Promise<ConversationRow> {
    return findConversation(this.#deps.store, this.#sender, {
      conversation,
      signal: this.#closed.signal,
    });
  }
}

function unknownEvent(event: string, raw: unknown): Refusal {
  if (event !== excessiveEvent) {
    return new Refusal('unknown_event', `unknown event "${String(event).slice(0, 80)}"`);
  }
  const because = String(raw).slice(0, 200);
  return new Refusal('invalid_input', `the message is too complex: ${because}`);
}

function earlierStart({ id }: ConversationRow, from: Position): { start?: string } {
  return from.seq > 0 ? { start: toCursor(id, from) } : {};
}

function activeTurn({ openTurn }: ConversationRow): { active_turn_id?: string } {
  return openTurn === undefined ? {} : { active_turn_id: openTurn };
}
