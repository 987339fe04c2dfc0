import type { Server as HttpServer } from 'node:http';
import { type DefaultEventsMap, Server, type Socket } from 'socket.io';
import { isRefusal, Refusal } from '../base/refusal.ts';
import { connectAuth } from '../client/wire.ts';
import type { Sender } from '../timeline/store.ts';
import type { Authenticate } from './auth.ts';
import type { Desk } from './desk.ts';
import type { FeedDeps } from './feed.ts';
import { packetBytesMax } from './limits.ts';
import { parseInput } from './parse.ts';
import { Peer } from './peer.ts';

type Events = DefaultEventsMap;
type Known = { sender: Sender };
type KnownSocket = Socket<Events, Events, Events, Known>;
type Answer = (raw: unknown) => Promise<object>;

/** The Socket.IO side of the door, on an HTTP server that somebody else listens with. */
export class Sockets implements AsyncDisposable {
  readonly #io: Server<Events, Events, Events, Known>;
  readonly #desk: Desk;
  readonly #deps: FeedDeps;
  readonly #authenticate: Authenticate;
  readonly #peers = new Set<Peer>();
  readonly #leaving = new Set<Promise<void>>();

  constructor(
    http: HttpServer,
    deps: FeedDeps,
    { desk, authenticate }: { desk: Desk; authenticate: Authenticate },
  ) {
    this.#desk = desk;
    this.#deps = deps;
    this.#authenticate = authenticate;
    this.#io = new Server(http, { maxHttpBufferSize: packetBytesMax, serveClient: false });
    this.#io.use((socket, next) => next(this.#admit(socket)));
    this.#io.on('connection', (socket) => this.#welcome(socket));
  }

  get connected(): number {
    return this.#peers.size;
  }

  get subscriptions(): number {
    return [...this.#peers].reduce((sum, peer) => sum + peer.subscriptions, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#io.emit('chat_service', {
      v: 1,
      type: 'chat.service',
      data: {
        code: 'shutdown',
        message: 'the server is going away; the connection will be tried again',
      },
    });
    this.#io.disconnectSockets(true);
    for (const peer of [...this.#peers]) this.#leave(peer);
    await Promise.all(this.#leaving);
    this.#io.engine.close();
  }

  #admit(socket: KnownSocket): Error | undefined {
    try {
      const { headers, auth } = socket.handshake;
      const { host, origin } = headers;
      socket.data.sender = this.#authenticate({ ...parseInput(connectAuth, auth), host, origin });
      return undefined;
    } catch (error) {
      const { code, message } = this.#desk.explain(error);
      return Object.assign(new Error(isRefusal(error) ? 'forbidden' : code), {
        data: { code, message },
      });
    }
  }

  #welcome(socket: KnownSocket): void {
    const peer = new Peer(this.#deps, this.#desk, { socket, sender: socket.data.sender });
    this.#peers.add(peer);
    const answers = new Map<string, Answer>([
      ['chat_message', (raw) => peer.message(raw)],
      ['chat_subscribe', (raw) => peer.subscribe(raw)],
      ['chat_unsubscribe', (raw) => peer.unsubscribe(raw)],
      ['conv_status', (raw) => peer.status(raw)],
      ['chat_recall', (raw) => peer.recall(raw)],
    ]);
    socket.onAny((event: string, ...rest: unknown[]) => {
      const acknowledge = rest.at(-1);
      const reply = typeof acknowledge === 'function' ? acknowledge : () => undefined;
      const answer = answers.get(event) ?? (() => Promise.reject(unknownEvent(event)));
      void this.#reply(answer, rest[0], (ack) => reply(ack));
    });
    socket.on('disconnect', () => this.#leave(peer));
  }

  async #reply(answer: Answer, raw: unknown, reply: (ack: object) => void): Promise<void> {
    try {
      reply(await answer(raw));
    } catch (error) {
      reply({ ok: false, status: 'refused', error: this.#desk.explain(error) });
    }
  }

  #leave(peer: Peer): void {
    if (!this.#peers.delete(peer)) return;
    const left = peer[Symbol.asyncDispose]().finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
  }
}

function unknownEvent(event: string): Refusal {
  return new Refusal('unknown_event', `nobody listens to "${event.slice(0, 80)}" here`);
}
