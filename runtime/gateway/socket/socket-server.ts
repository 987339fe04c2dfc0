import type { Server as HttpServer } from 'node:http';
import { type DefaultEventsMap, Server, type Socket } from 'socket.io';
import { isRefusal } from '../../base/refusal.ts';
import { connectAuth } from '../../client/protocol/request-schemas.ts';
import type { AnonymousPeers } from '../auth/anonymous-connections.ts';
import type { Authenticate, Known } from '../auth/authenticate.ts';
import { presentedToken } from '../auth/credentials.ts';
import { openLifetime } from '../auth/expiry-timer.ts';
import type { Handshake } from '../auth/origin-guard.ts';
import type { FeedDeps } from '../feed/feed.ts';
import { admissionMs, packetBytesMax } from '../input/limits.ts';
import { parseInput } from '../input/parse-input.ts';
import type { Desk } from '../intake/intake.ts';
import { Peer } from './client-socket.ts';
import { Sessions } from './engine-sessions.ts';

type Events = DefaultEventsMap;
type Visit = { known: Known };
type KnownSocket = Socket<Events, Events, Events, Visit>;
type Parts = {
  readonly desk: Desk;
  readonly authenticate: Authenticate;
  readonly handshake: Handshake;
  readonly anonymous: AnonymousPeers;
  readonly origins: readonly string[];
};

/** The Socket.IO side of the door, on an HTTP server that somebody else listens with. */
export class Sockets implements AsyncDisposable {
  readonly #io: Server<Events, Events, Events, Visit>;
  readonly #desk: Desk;
  readonly #deps: FeedDeps;
  readonly #authenticate: Authenticate;
  readonly #sessions: Sessions;
  readonly #closing = new AbortController();
  readonly #peers = new Set<Peer>();
  readonly #leaving = new Set<Promise<void>>();

  constructor(
    http: HttpServer,
    deps: FeedDeps,
    { desk, authenticate, handshake, anonymous, origins }: Parts,
  ) {
    this.#desk = desk;
    this.#deps = deps;
    this.#authenticate = authenticate;
    this.#io = new Server(http, {
      maxHttpBufferSize: packetBytesMax,
      connectTimeout: admissionMs,
      serveClient: false,
      allowRequest: (request, allow) =>
        void handshake(request, this.#closing.signal).then((no) => allow(no, no === undefined)),
      ...(origins.length > 0 && { cors: { origin: [...origins] } }),
    });
    this.#sessions = new Sessions(this.#io.engine, anonymous);
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
      const said = parseInput(connectAuth, auth);
      const token = said.token ?? presentedToken((name) => oneOf(headers[name]));
      const { signal } = this.#closing;
      const known = await this.#authenticate({ ...said, token }, { signal });
      socket.data = { known };
      this.#sessions.admit(Reflect.get(socket.conn, 'id'));
      return undefined;
    } catch (error) {
      const told = this.#desk.explain(error);
      const { code } = told;
      const isUnknown = !isRefusal(error) || code === 'unauthenticated';
      return Object.assign(new Error(isUnknown ? code : 'forbidden'), { data: told });
    }
  }

  #welcome(socket: KnownSocket): void {
    const { untilMs, roles: _, ...sender } = socket.data.known;
    const peer = new Peer(this.#deps, this.#desk, { socket, sender });
    const over = () => expire(socket);
    const { clock } = this.#deps;
    const lifetime = untilMs === undefined ? undefined : openLifetime(untilMs, { clock, over });
    this.#peers.add(peer);
    socket.onAny((event: string, ...rest: unknown[]) => {
      const acknowledge = rest.at(-1);
      const reply = typeof acknowledge === 'function' ? acknowledge : () => undefined;
      void this.#reply(
        () => peer.answer(event, rest[0]),
        (ack) => reply(ack),
      );
    });
    socket.on('disconnect', () => {
      lifetime?.[Symbol.dispose]();
      this.#leave(peer);
    });
  }

  async #reply(answer: () => Promise<object>, reply: (ack: object) => void): Promise<void> {
    try {
      reply(await answer());
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
