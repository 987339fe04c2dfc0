import { io, type Socket } from 'socket.io-client';
import { isRefusal, Refusal } from '../base/refusal.ts';
import type { SubscribeAck, WireEnvelope, WireError } from './envelope.ts';
import { reconnectMs, reconnectMsMax, tokensRefusedMax } from './limits.ts';
import { routes } from './routes.ts';

type Request = {
  readonly event: string;
  readonly payload: object;
  readonly resolve: (ack: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/** A conversation that is followed: where to go on from, and who is told. */
export type Follower = {
  readonly conversation: string;
  /** Asked at every connect; undefined: from the beginning. */
  after(): string | undefined;
  tell(envelope: WireEnvelope): void;
  connected(connected: boolean): void;
  /** What is told from here on may be past, up to `head` once the server has said it. */
  subscribing(): void;
  subscribed(head: number): void;
  refused(error: Refusal): void;
};

/** Asked at every connect, and again while it fails. Rejects with a Refusal: nobody comes in any more. */
export type Credentials = () => Promise<Readonly<Record<string, string>>>;

/**
 * One socket that comes back. Requests without an answer are repeated after a reconnect, so they must be safe to
 * repeat (messages are, by their id); followed conversations go on from where they stopped.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #requests = new Set<Request>();
  readonly #followers = new Map<string, Follower>();
  readonly #credentials: Credentials;
  #closed: Refusal | undefined;
  /** Questions for credentials; only the last one's answer counts. */
  #asked = 0;
  #hasToken = false;
  /** Times in a row that nobody let us in, and the wait for the next. */
  #turnedAway = 0;
  #waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(url: string, credentials: Credentials) {
    this.#credentials = credentials;
    this.#socket = io(url, {
      path: '/socket.io',
      transports: ['websocket', 'polling'],
      reconnectionDelay: reconnectMs,
      reconnectionDelayMax: reconnectMsMax,
      auth: (send) => void this.#present(send),
    });
    this.#socket.on('connect', () => this.#connected());
    this.#socket.on('disconnect', (reason) => this.#disconnected(reason));
    this.#socket.on('connect_error', (error: Error & { data?: WireError }) => {
      if (!this.#socket.active)
        this.#refused(error.data ?? { code: 'forbidden', message: error.message });
    });
    for (const route of routes) {
      this.#socket.on(route, (envelope: WireEnvelope) => this.#tell(envelope));
    }
  }

  get isConnected(): boolean {
    return this.#socket.connected;
  }

  /** The server's answer, however many connections it takes. Rejects when aborted, refused for good, or closed. */
  request<Ack>(event: string, payload: object, signal?: AbortSignal): Promise<Ack> {
    if (this.#closed) return Promise.reject(this.#closed);
    return new Promise<Ack>((resolve, reject) => {
      const stop = () => settle(() => reject(signal?.reason));
      const settle = (outcome: () => void) => {
        this.#requests.delete(request);
        signal?.removeEventListener('abort', stop);
        outcome();
      };
      const request: Request = {
        event,
        payload,
        // The server of this version answers each request as its type says.
        resolve: (ack) => settle(() => resolve(ack as Ack)),
        reject: (error) => settle(() => reject(error)),
      };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', stop, { once: true });
      this.#requests.add(request);
      if (this.#socket.connected) this.#emit(request);
    });
  }

  follow(follower: Follower, options: { subscribe: boolean }): void {
    this.#followers.set(follower.conversation, follower);
    if (this.#closed) follower.refused(this.#closed);
    follower.connected(this.#socket.connected);
    if (options.subscribe && this.#socket.connected) this.#subscribe(follower);
  }

  close(): void {
    this.#leave(new Refusal('client_closed', 'the client is closed'));
  }

  async #present(send: (auth: object) => void): Promise<void> {
    this.#asked += 1;
    const question = this.#asked;
    const isLast = () => question === this.#asked && !this.#closed;
    try {
      const known = await this.#credentials();
      if (!isLast()) return;
      this.#hasToken = 'token' in known;
      send(known);
    } catch (error) {
      if (!isLast()) return;
      if (isRefusal(error)) this.#leave(error);
      else this.#later(() => isLast() && void this.#present(send));
    }
  }

  /** For good, unless the server failed, or another token may be let in: then it is tried again. */
  #refused(error: WireError): void {
    const isFault = error.code === error.code.toUpperCase();
    const isStale = error.code === 'unauthenticated' && this.#hasToken;
    const isAgain = isFault || (isStale && this.#turnedAway < tokensRefusedMax);
    if (isAgain) this.#later(() => this.#socket.connect());
    else this.#end(toRefusal(error));
  }

  #later(step: () => void): void {
    const delayMs = Math.min(reconnectMsMax, reconnectMs * 2 ** this.#turnedAway);
    this.#turnedAway += 1;
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(step, delayMs);
  }

  #connected(): void {
    this.#turnedAway = 0;
    for (const follower of this.#followers.values()) {
      this.#subscribe(follower);
      follower.connected(true);
    }
    for (const request of this.#requests) this.#emit(request);
  }

  #disconnected(reason: string): void {
    for (const follower of this.#followers.values()) follower.connected(false);
    // A server that shuts down says goodbye, and the library takes that for a wish never to be called again.
    if (reason === 'io server disconnect' && !this.#closed) this.#socket.connect();
  }

  #emit(request: Request): void {
    this.#socket.emit(request.event, request.payload, request.resolve);
  }

  #subscribe(follower: Follower): void {
    const { conversation } = follower;
    const after = follower.after();
    const request = { conversation_id: conversation, ...(after !== undefined && { after }) };
    follower.subscribing();
    this.#socket.emit('chat_subscribe', request, (ack: SubscribeAck) => {
      follower.subscribed(ack.ok ? ack.head : 0);
      // Not there yet: the first message makes it, and following it with that.
      if (!ack.ok && ack.error.code !== 'not_found') follower.refused(toRefusal(ack.error));
    });
  }

  #tell(envelope: WireEnvelope): void {
    this.#followers.get(envelope.conversation_id)?.tell(envelope);
  }

  #leave(error: Refusal): void {
    this.#end(error);
    clearTimeout(this.#waiting);
    this.#socket.disconnect();
  }

  #end(error: Refusal): void {
    this.#closed ??= error;
    for (const request of this.#requests) request.reject(error);
    for (const follower of this.#followers.values()) follower.refused(error);
  }
}

export function toRefusal({ code, message, retry_after_ms }: WireError): Refusal {
  const retry = retry_after_ms === undefined ? {} : { retryAfterMs: retry_after_ms };
  return new Refusal(code, message, { retryable: code === 'busy', ...retry });
}
