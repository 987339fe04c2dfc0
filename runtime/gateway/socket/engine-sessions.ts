import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AnonymousConnections } from '../auth/anonymous-connections.ts';
import { anonymousBytesMax } from '../auth/limits.ts';
import { pollBytesMax } from './limits.ts';
import { guardPackets } from './packet-guard.ts';

/** An Engine.IO session, as its server hands it out. */
type Session = EventEmitter & { readonly id: string; readonly request: IncomingMessage };

type Engine = {
  on(event: 'connection', listener: (session: Session) => void): unknown;
  use(step: (request: IncomingMessage, response: ServerResponse, next: () => void) => void): void;
};

/**
 * The Engine.IO sessions below Socket.IO. An unauthenticated session may send as much as a handshake, on each of its
 * connections; a long-polling request is limited for everyone.
 */
export class EngineSessions {
  readonly #anonymous: AnonymousConnections;
  /** Of a session that is not authenticated, its connections. */
  readonly #sessions = new Map<string, 'admitted' | Set<Duplex>>();

  constructor(engine: Engine, anonymous: AnonymousConnections) {
    this.#anonymous = anonymous;
    engine.use((request, response, next) => {
      if (this.#isWithin(request)) {
        // Its headers are written by now, and it would keep the request as long as the connection lives: a few KiB.
        if (isUpgrade(request)) Reflect.set(response, 'req', undefined);
        return next();
      }
      response.writeHead(413, { Connection: 'close' }).end();
    });
    engine.on('connection', (session) => this.#open(session));
  }

  /** The session is authenticated. */
  admit(id: string): void {
    const known = this.#sessions.get(id);
    if (known === undefined || known === 'admitted') return;
    for (const wire of known) this.#anonymous.delete(wire);
    this.#sessions.set(id, 'admitted');
  }

  #open(session: Session): void {
    const { id, request } = session;
    this.#sessions.set(id, new Set([request.socket]));
    session.once('close', () => this.#sessions.delete(id));
    guardPackets(session, { isAdmitted: () => this.#sessions.get(id) === 'admitted' });
    if (isUpgrade(request)) this.#anonymous.meter(request.socket);
  }

  #isWithin(request: IncomingMessage): boolean {
    const id = new URL(request.url ?? '', 'http://engine').searchParams.get('sid');
    const known = id === null ? undefined : this.#sessions.get(id);
    if (known === 'admitted') this.#anonymous.delete(request.socket);
    else if (known) this.#watch(known, request);
    if (request.method !== 'POST') return true;
    const bytes = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    return bytes <= (known === 'admitted' ? pollBytesMax : anonymousBytesMax);
  }

  #watch(wires: Set<Duplex>, request: IncomingMessage): void {
    wires.add(request.socket);
    // Wait until the upgrade has attached its listeners, so that no byte is lost.
    if (isUpgrade(request)) setImmediate(() => this.#anonymous.meter(request.socket));
  }
}

function isUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined;
}
