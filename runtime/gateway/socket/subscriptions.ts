import type { Socket } from 'socket.io';
import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import type { Position } from '../feed/cursor.ts';
import {
  type Feed,
  type FeedDeps,
  type FollowedConversation,
  openFeed,
  type Sink,
} from '../feed/feed.ts';
import { type EventPacket, toPacket } from './event-packet.ts';
import { subscriptionsPerSocketMax } from './limits.ts';
import { SendBacklog } from './send-backlog.ts';

/** The conversations that one socket follows, in the order of their last envelope. */
export class Subscriptions implements AsyncDisposable {
  readonly #deps: FeedDeps;
  readonly #socket: Socket;
  readonly #backlog: SendBacklog;
  readonly #feeds = new Map<string, Feed>();
  #isClosed = false;

  constructor(deps: FeedDeps, socket: Socket) {
    this.#deps = deps;
    this.#socket = socket;
    this.#backlog = new SendBacklog(socket.conn);
  }

  get size(): number {
    return this.#feeds.size;
  }

  has(conversation: string): boolean {
    return this.#feeds.has(conversation);
  }

  /** Makes room for a conversation; if necessary, the inactive one that was silent longest ends. False: no room. */
  async makeRoom(conversation: string): Promise<boolean> {
    if (this.has(conversation) || this.size < subscriptionsPerSocketMax) return true;
    const silent = [...this.#feeds].find(([, feed]) => !feed.isActive);
    if (!silent) return false;
    const [id, feed] = silent;
    feed.evict();
    await this.close(id);
    return true;
  }

  open(row: FollowedConversation, start: Position): void {
    if (this.#isClosed) return;
    const sink: Sink = {
      send: (envelope: WireEnvelope) => {
        this.#write(toPacket(envelope));
        this.#moveToEnd(row.id);
      },
      hasRoom: () => this.#backlog.hasRoom,
      ready: (signal) => this.#backlog.room(signal),
      end: () => {
        if (this.#feeds.get(row.id) === feed) this.#feeds.delete(row.id);
      },
    };
    const feed = openFeed(this.#deps, row, { start, sink });
    this.#feeds.set(row.id, feed);
  }

  async close(conversation: string): Promise<void> {
    const feed = this.#feeds.get(conversation);
    this.#feeds.delete(conversation);
    await feed?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const feeds = [...this.#feeds.values()];
    this.#feeds.clear();
    await Promise.all(feeds.map((feed) => feed[Symbol.asyncDispose]()));
  }

  /** Subscribers of a conversation share its packets; `emit` would make each of them for each. */
  #write(packet: EventPacket): void {
    const { connected, conn } = this.#socket;
    if (!connected) return;
    if (conn.transport.name === 'websocket') conn.write(packet.text, packet.options);
    else conn.write(packet.text);
  }

  #moveToEnd(conversation: string): void {
    if (this.size === 1) return;
    const feed = this.#feeds.get(conversation);
    if (!feed || !this.#feeds.delete(conversation)) return;
    this.#feeds.set(conversation, feed);
  }
}
