import { io, type Socket } from 'socket.io-client';
import { Fault } from '../../base/fault.ts';
import { isRefusal, type Refusal } from '../../base/refusal.ts';
import type {
  MessageAck,
  RecallAck,
  SubscribeAck,
  WireEnvelope,
  WireError,
} from '../protocol/envelope.ts';
import { reconnectMs, reconnectMsMax, tokensRefusedMax } from '../protocol/limits.ts';
import { routes } from '../protocol/routes.ts';
import { toRefusal } from '../protocol/to-refusal.ts';
import { clientClosed } from './client-closed.ts';
import { type Channel, type Follower, type Schedule, Subscription } from './subscription.ts';

type Body = { readonly conversation_id: string };
type Acks = {
  readonly chat_message: MessageAck;
  readonly chat_subscribe: SubscribeAck;
  readonly chat_recall: RecallAck;
};
type Event = keyof Acks;

/** Without `timeoutMs` a request waits as long as the client lives. */
type Wait = { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number | undefined };

type Request = {
  readonly event: Event;
  readonly body: Body;
  readonly resolve: (ack: Acks[Event]) => void;
  readonly reject: (error: unknown) => void;
};

/** Called for every connection, and again while it fails. If it rejects with a Refusal, the connection closes permanently. */
export type Credentials = () => Promise<Readonly<Record<string, string>>>;

/**
 * One socket that reconnects. Requests without an answer are repeated after a reconnect, which is safe because they have
 * ids. Followed conversations continue where they stopped.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #requests = new Set<Request>();
  /** Rejects what pauses. */
  readonly #pauses = new Set<(error: Refusal) => void>();
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #lists = new Set<() => void>();
  readonly #channel: Channel;
  readonly #credentials: Credentials;
  #closed: Refusal | undefined;
  /** Number of the current authentication attempt; results of older attempts are ignored. */
  #attempt = 0;
  #hasToken = false;
  /** Consecutive refused connections. */
  #refusals = 0;
  #cancelRetry: (() => void) | undefined;

  constructor(url: string, credentials: Credentials, later: Schedule) {
    this.#credentials = credentials;
    this.#channel = {
      schedule: later,
      emit: (event, payload, answered) => this.#socket.emit(event, payload, answered),
    };
    this.#socket = io(url, {
      path: '/socket.io',
      transports: ['websocket', 'polling'],
      reconnectionDelay: reconnectMs,
      reconnectionDelayMax: reconnectMsMax,
      auth: (send) => void this.#authenticate(send),
    });
    this.#socket.on('connect', () => this.#connected());
    this.#socket.on('disconnect', (reason) => this.#disconnected(reason));
    this.#socket.on('connect_error', (error: Error & { data?: WireError }) => {
      if (!this.#socket.active)
        this.#refused(error.data ?? { code: 'forbidden', message: error.message });
    });
    this.#socket.on('list_changed', () => this.#listChanged());
    for (const route of routes) {
      this.#socket.on(route, (envelope: WireEnvelope) => this.#receive(envelope));
    }
  }

  get isConnected(): boolean {
    return this.#socket.connected;
  }

  /**
   * Returns the server's answer, across reconnects. Rejects when aborted, permanently refused, or closed, and with Fault
   * `SERVER_UNREACHABLE` after `timeoutMs`.
   */
  request<E extends Event>(
    event: E,
    body: Body,
    { signal, timeoutMs }: Wait = {},
  ): Promise<Acks[E]> {
    if (this.#closed) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => {
      const stop = () => settle(() => reject(signal?.reason));
      const settle = (outcome: () => void) => {
        this.#requests.delete(request);
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        outcome();
      };
      const request: Request = {
        event,
        body,
        // A server of this version answers each request as its type says.
        resolve: (ack) => settle(() => resolve(ack as Acks[E])),
        reject: (error) => settle(() => reject(error)),
      };
      const late = () => settle(() => reject(new Fault('SERVER_UNREACHABLE')));
      const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
      if (signal?.aborted) return stop();
      signal?.addEventListener('abort', stop, { once: true });
      this.#requests.add(request);
      if (this.#socket.connected) this.#emit(request);
    });
  }

  /** Rejects when the connection is permanently refused or closed. */
  pause(delayMs: number): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => {
      const cancel = this.#channel.schedule(() => {
        this.#pauses.delete(stop);
        resolve();
      }, delayMs);
      const stop = (error: Refusal) => {
        cancel();
        reject(error);
      };
      this.#pauses.add(stop);
    });
  }

  follow(follower: Follower, options: { subscribe: boolean }): void {
    const subscription = new Subscription(follower, this.#channel);
    this.#subscriptions.set(follower.conversation, subscription);
    if (this.#closed) subscription.close(this.#closed);
    subscription.connected(this.#socket.connected);
    if (options.subscribe && this.#socket.connected) subscription.begin();
  }

  onListChange(changed: () => void): () => void {
    const listener = () => changed();
    this.#lists.add(listener);
    if (this.#socket.connected) this.#socket.emit('list_subscribe', {});
    return () => this.#lists.delete(listener);
  }

  #listChanged(): void {
    for (const changed of this.#lists) changed();
  }

  close(): void {
    this.#disconnect(clientClosed());
  }

  async #authenticate(send: (auth: object) => void): Promise<void> {
    this.#attempt += 1;
    const question = this.#attempt;
    const isLast = () => question === this.#attempt && !this.#closed;
    try {
      const known = await this.#credentials();
      if (!isLast()) return;
      this.#hasToken = 'token' in known;
      send(known);
    } catch (error) {
      if (!isLast()) return;
      if (isRefusal(error)) this.#disconnect(error);
      else this.#retry(() => isLast() && void this.#authenticate(send));
    }
  }

  /** Closes permanently, unless the server failed or another token may be accepted: then it retries. */
  #refused(error: WireError): void {
    const isFault = error.code === error.code.toUpperCase();
    const isStale = error.code === 'unauthenticated' && this.#hasToken;
    const isAgain = isFault || (isStale && this.#refusals < tokensRefusedMax);
    if (isAgain) this.#retry(() => this.#socket.connect());
    else this.#end(toRefusal(error));
  }

  #retry(step: () => void): void {
    const delayMs = Math.min(reconnectMsMax, reconnectMs * 2 ** this.#refusals);
    this.#refusals += 1;
    this.#cancelRetry?.();
    this.#cancelRetry = this.#channel.schedule(step, delayMs);
  }

  #connected(): void {
    this.#refusals = 0;
    if (this.#lists.size > 0) this.#socket.emit('list_subscribe', {}, () => this.#listChanged());
    for (const subscription of this.#subscriptions.values()) {
      subscription.begin();
      subscription.connected(true);
    }
    for (const request of this.#requests) this.#emit(request);
  }

  #disconnected(reason: string): void {
    for (const subscription of this.#subscriptions.values()) {
      subscription.reset();
      subscription.connected(false);
    }
    // The library does not reconnect after a server has closed the connection, which also happens at a shutdown.
    if (reason === 'io server disconnect' && !this.#closed) this.#socket.connect();
  }

  #emit({ event, body, resolve }: Request): void {
    const isMessage = event === 'chat_message';
    const subscription = isMessage ? this.#subscriptions.get(body.conversation_id) : undefined;
    subscription?.messageSent();
    this.#socket.emit(event, body, (ack: MessageAck) => {
      resolve(ack);
      subscription?.messageAnswered(ack);
    });
  }

  #receive(envelope: WireEnvelope): void {
    this.#subscriptions.get(envelope.conversation_id)?.receive(envelope);
  }

  #disconnect(error: Refusal): void {
    this.#end(error);
    this.#cancelRetry?.();
    this.#socket.disconnect();
  }

  #end(error: Refusal): void {
    this.#closed ??= error;
    for (const request of this.#requests) request.reject(error);
    for (const stop of this.#pauses) stop(error);
    this.#pauses.clear();
    for (const subscription of this.#subscriptions.values()) subscription.close(error);
  }
}
