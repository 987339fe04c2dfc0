import type { Server as HttpServer } from 'node:http';
import { type DefaultEventsMap, Server, type Socket } from 'socket.io';
import { isRefusal } from '../../base/refusal.ts';
import { connectAuth } from '../../client/protocol/request-schemas.ts';
import type { AnonymousConnections } from '../auth/anonymous-connections.ts';
import type { Authenticate, Identity } from '../auth/authenticate.ts';
import { presentedToken } from '../auth/credentials.ts';
import { openExpiryTimer } from '../auth/expiry-timer.ts';
import type { HandshakeCheck } from '../auth/origin-guard.ts';
import type { FeedDeps } from '../feed/feed.ts';
import { parseInput } from '../input/parse-input.ts';
import type { OpenProjects } from '../projects/open-project.ts';
import { ClientSocket } from './client-socket.ts';
import { EngineSessions } from './engine-sessions.ts';
import { packetOptions } from './packet-options.ts';

type Events = DefaultEventsMap;
type SocketData = { identity: Identity };
type KnownSocket = Socket<Events, Events, Events, SocketData>;
type Parts = {
  readonly projects: OpenProjects;
  readonly authenticate: Authenticate;
  readonly handshake: HandshakeCheck;
  readonly anonymous: AnonymousConnections;
  readonly origins: readonly string[];
  /** Called for each client, until it leaves. */
  readonly enter: () => Disposable | undefined;
};

/** The Socket.IO server of the gateway, on an HTTP server that is started elsewhere. */
export class SocketServer implements AsyncDisposable {
  readonly #io: Server<Events, Events, Events, SocketData>;
  readonly #projects: OpenProjects;
  readonly #deps: FeedDeps;
  readonly #authenticate: Authenticate;
  readonly #sessions: EngineSessions;
  readonly #enter: Parts['enter'];
  readonly #closing = new AbortController();
  readonly #peers = new Set<ClientSocket>();
  readonly #leaving = new Set<Promise<void>>();

  constructor(
    http: HttpServer,
    deps: FeedDeps,
    { projects, authenticate, handshake, anonymous, origins, enter }: Parts,
  ) {
    this.#projects = projects;
    this.#deps = deps;
    this.#authenticate = authenticate;
    this.#enter = enter;
    this.#io = new Server(http, {
      ...packetOptions,
      serveClient: false,
      // Other offers of a protocol are answered as requests.
      destroyUpgrade: false,
      allowRequest: (request, allow) =>
        void handshake(request, this.#closing.signal).then((reason) =>
          allow(reason, reason === undefined),
        ),
      ...(origins.length > 0 && { cors: { origin: [...origins] } }),
    });
    this.#sessions = new EngineSessions(this.#io.engine, anonymous);
    this.#io.use((socket, next) => void this.#admit(socket).then(next));
    this.#io.on('connection', (socket) => this.#connect(socket));
  }

  get connected(): number {
    return this.#peers.size;
  }

  get subscriptions(): number {
    return [...this.#peers].reduce((sum, peer) => sum + peer.subscriptions, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    const message = 'the server is shutting down; the client will reconnect';
    this.#io.emit('chat_service', toService({ code: 'shutdown', message }));
    this.#io.disconnectSockets(true);
    for (const peer of [...this.#peers]) this.#disconnect(peer);
    await Promise.all(this.#leaving);
    this.#io.engine.close();
  }

  /** Never rejects; undefined accepts the connection. */
  async #admit(socket: KnownSocket): Promise<Error | undefined> {
    try {
      const { headers, auth } = socket.handshake;
      const claims = parseInput(connectAuth, auth);
      const token = claims.token ?? presentedToken((name) => oneOf(headers[name]));
      const { signal } = this.#closing;
      const identity = await this.#authenticate({ ...claims, token }, { signal });
      socket.data = { identity };
      this.#sessions.admit(Reflect.get(socket.conn, 'id'));
      return undefined;
    } catch (error) {
      const wireError = this.#projects.home.intake.explain(error);
      const { code } = wireError;
      const isUnknown = !isRefusal(error) || code === 'unauthenticated';
      return Object.assign(new Error(isUnknown ? code : 'forbidden'), { data: wireError });
    }
  }

  #connect(socket: KnownSocket): void {
    const { untilMs, roles: _, ...sender } = socket.data.identity;
    const { intake } = this.#projects.of(sender) ?? this.#projects.home;
    // Socket.IO recommends it: the request takes a few KiB and is not needed any more.
    Reflect.set(socket.conn, 'request', undefined);
    const peer = new ClientSocket(this.#deps, intake, { socket, sender });
    const over = () => expire(socket);
    const { clock } = this.#deps;
    const lifetime = untilMs === undefined ? undefined : openExpiryTimer(untilMs, { clock, over });
    this.#peers.add(peer);
    const here = this.#enter();
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
      here?.[Symbol.dispose]();
      this.#disconnect(peer);
    });
  }

  async #reply(answer: () => Promise<object>, reply: (ack: object) => void): Promise<void> {
    try {
      reply(await answer());
    } catch (error) {
      reply({ ok: false, status: 'refused', error: this.#projects.home.intake.explain(error) });
    }
  }

  #disconnect(peer: ClientSocket): void {
    if (!this.#peers.delete(peer)) return;
    const left = peer[Symbol.asyncDispose]().finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
  }
}

/** A client with a new token can reconnect at once and resume. */
function expire(socket: KnownSocket): void {
  const message = 'the token has expired; connect again with a new one';
  socket.emit('chat_service', toService({ code: 'unauthenticated', message }));
  socket.disconnect(true);
}

function toService(data: { code: string; message: string }): object {
  return { v: 1, type: 'chat.service', data };
}

function oneOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0];
}
