import type { Server as HttpServer } from 'node:http';
import { type DefaultEventsMap, Server, type Socket } from 'socket.io';
import { isRefusal, Refusal } from '../base/refusal.ts';
import { connectAuth } from '../client/wire.ts';
import type { Sender } from '../timeline/store.ts';
import type { Authenticate } from './auth.ts';
import { presentedToken } from './credentials.ts';
import type { Desk } from './desk.ts';
import type { FeedDeps } from './feed.ts';
import { openLifetime } from './lifetime.ts';
import { packetBytesMax } from './limits.ts';
import { parseInput } from './parse.ts';
import { Peer } from './peer.ts';

type Events = DefaultEventsMap;
type Visit = { sender: Sender; untilMs: number | undefined };
type KnownSocket = Socket<Events, Events, Events, Visit>;
type Answer = (raw: unknown) => Promise<object>;

/** The Socket.IO side of the door, on an HTTP server that somebody else listens with. */
export class Sockets implements AsyncDisposable {
  readonly #io: Server<Events, Events, Events, Visit>;
  readonly #desk: Desk;
  readonly #deps: FeedDeps;
  readonly #authenticate: Authenticate;
  readonly #closing = new AbortController();
  readonly #peers = new Set<Peer>();
  readonly #leaving = new Set<Promise<void>>();

  constructor(
    http: HttpServer,
    deps: FeedDeps,
    {
      desk,
      authenticate,
      origins,
    }: { desk: Desk; authenticate: Authenticate; origins: readonly string[] },
  ) {
    this.#desk = desk;
    this.#deps = deps;
    this.#authenticate = authenticate;
    this.#io = new Server(http, {
      maxHttpBufferSize: packetBytesMax,
      serveClient: false,
      ...(origins.length > 0 && { cors: { origin: [...origins] } }),
    });
    this.#io.use((socket, next) => void this.#admit(socket).then(next));
    this.#io.on('connection', (socket) => this.#welcome(socket));
  }

  get connected(): number {
    return this.#peers.size;
  }

  get subscriptions(): number {
    return [...this.#peers].reduce((sum, peer) => sum + peer.subscriptions, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    const message = 'the server is going away; the connection will be tried again';
    this.#io.emit('chat_service', farewell({ code: 'shutdown', message }));
    this.#io.disconnectSockets(true);
    for (const peer of [...this.#peers]) this.#leave(peer);
    await Promise.all(this.#leaving);
    this.#io.engine.close();
  }

  /** Never rejects: undefined lets it in. */
  async #admit(socket: KnownSocket): Promise<Error | undefined> {
    try {
      const { headers, auth } = socket.handshake;
      const { host, origin } = headers;
      const said = parseInput(connectAuth, auth);
      const token = said.token ?? presentedToken((name) => oneOf(headers[name]));
      const visitor = { ...said, token, host, origin };
      const { signal } = this.#closing;
      const { untilMs, roles: _, ...sender } = await this.#authenticate(visitor, { signal });
      socket.data = { sender, untilMs };
      return undefined;
    } catch (error) {
      const told = this.#desk.explain(error);
      const { code } = told;
      const isUnknown = !isRefusal(error) || code === 'unauthenticated';
      return Object.assign(new Error(isUnknown ? code : 'forbidden'), { data: told });
    }
  }

  #welcome(socket: KnownSocket): void {
    const { sender, untilMs } = socket.data;
    const peer = new Peer(this.#deps, this.#desk, { socket, sender });
    const over = () => expire(socket);
    const { clock } = this.#deps;
    const lifetime = untilMs === undefined ? undefined : openLifetime(untilMs, { clock, over });
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
    socket.on('disconnect', () => {
      lifetime?.[Symbol.dispose]();
      this.#leave(peer);
    });
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

/** Whoever has a new token comes in again at once, and goes on where they were. */
function expire(socket: KnownSocket): void {
  const message = 'the token expired; connect again with a new one';
  socket.emit('chat_service', farewell({ code: 'unauthenticated', message }));
  socket.disconnect(true);
}

function farewell(data: { code: string; message: string }): object {
  return { v: 1, type: 'chat.service', data };
}

function oneOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0];
}

function unknownEvent(event: string): Refusal {
  return new Refusal('unknown_event', `nobody listens to "${event.slice(0, 80)}" here`);
}
