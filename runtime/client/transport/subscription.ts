import type { Refusal } from '../../base/refusal.ts';
import type { MessageAck, SubscribeAck, WireEnvelope } from '../protocol/envelope.ts';
import { subscribeMs, subscribeMsMax } from '../protocol/limits.ts';
import { toRefusal } from '../protocol/to-refusal.ts';

/** A followed conversation: where its subscription continues, and what receives the events. */
export type Follower = {
  readonly conversation: string;
  /** Whether the server has ever sent an event of the conversation. */
  isKnown(): boolean;
  /** Whether the server will create the conversation, if it does not exist yet. */
  isExpected(): boolean;
  /** Where the next subscription begins. Empty: at the beginning of the conversation. */
  position(): { readonly after?: string; readonly tail?: number };
  receive(envelope: WireEnvelope): void;
  connected(connected: boolean): void;
  /** The events from now on may be replayed, up to the `head` passed to `subscribed`. */
  subscribing(): void;
  subscribed(begun: { readonly head: number; readonly start?: string }): void;
  /** The server accepted a message without following its conversation. `cursor` is right before the message. */
  missed(cursor: string): void;
  refused(error: Refusal): void;
};

/** Runs a step after a delay. Returns a function that cancels it. */
export type Schedule = (step: () => void, delayMs: number) => () => void;

/** The current socket. */
export type Channel = {
  readonly schedule: Schedule;
  emit<Ack>(event: string, payload: object, answered: (ack: Ack) => void): void;
};

/**
 * One follower's subscription, across connections.
 *
 * A lost subscription drops all events: the server may follow the conversation again from a later message, but the follower
 * must continue from its own cursor. So a new subscription starts only when no message is pending and the server has ended the
 * old one.
 */
export class Subscription {
  readonly #follower: Follower;
  readonly #channel: Channel;
  #state: 'open' | 'lost' | 'closing' = 'open';
  /** Messages of the conversation that the server has not acknowledged yet. */
  #unanswered = 0;
  #tries = 0;
  #cancel: (() => void) | undefined;

  constructor(follower: Follower, line: Channel) {
    this.#follower = follower;
    this.#channel = line;
  }

  connected(connected: boolean): void {
    this.#follower.connected(connected);
  }

  /** Starts on a new connection. */
  begin(): void {
    this.reset();
    this.#subscribe();
  }

  reset(): void {
    this.#cancelRetry();
    this.#state = 'open';
    this.#unanswered = 0;
    this.#tries = 0;
  }

  close(error: Refusal): void {
    this.#cancelRetry();
    this.#follower.refused(error);
  }

  receive(envelope: WireEnvelope): void {
    if (this.#state !== 'open') return;
    const isService = envelope.type === 'chat.service';
    if (!isService) this.#tries = 0;
    this.#follower.receive(envelope);
    if (isService && envelope.data?.['ended'] === true) this.#lose();
  }

  messageSent(): void {
    this.#unanswered += 1;
  }

  messageAnswered(ack: MessageAck): void {
    this.#unanswered -= 1;
    const subscribed = ack.ok ? ack.subscribed : undefined;
    if (ack.ok && subscribed === false) this.#follower.missed(ack.cursor);
    if (subscribed !== undefined) this.#tries = 0;
    if (subscribed === false && this.#state === 'open') this.#state = 'lost';
    if (this.#state === 'lost' && this.#unanswered === 0) this.#resubscribe(subscribed === true);
  }

  #resubscribe(isFollowed: boolean): void {
    if (isFollowed) {
      this.#cancelRetry();
      this.#renew();
    } else this.#wait();
  }

  #subscribe(): void {
    this.#state = 'open';
    const { conversation } = this.#follower;
    const request = { conversation_id: conversation, ...this.#follower.position() };
    this.#follower.subscribing();
    this.#channel.emit<SubscribeAck>('chat_subscribe', request, (ack) => this.#subscribed(ack));
  }

  #subscribed(ack: SubscribeAck): void {
    // The conversation does not exist yet. The first message creates and follows it.
    const isMissing = !ack.ok && ack.error.code === 'not_found' && !this.#follower.isKnown();
    if (isMissing && this.#follower.isExpected()) this.#lose();
    else if (ack.ok || isMissing) this.#follower.subscribed(ack.ok ? ack : { head: 0 });
    else if (isTemporary(ack.error.code)) this.#lose();
    else this.close(toRefusal(ack.error));
  }

  #lose(): void {
    this.#state = 'lost';
    this.#wait();
  }

  #wait(): void {
    const delayMs = Math.min(subscribeMsMax, subscribeMs * 2 ** this.#tries);
    this.#cancel ??= this.#schedule(delayMs * (0.5 + Math.random() / 2));
  }

  #schedule(delayMs: number): () => void {
    this.#tries += 1;
    return this.#channel.schedule(() => {
      this.#cancel = undefined;
      this.#renew();
    }, delayMs);
  }

  #cancelRetry(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** A pending message must be acknowledged first. */
  #renew(): void {
    if (this.#state !== 'lost' || this.#unanswered > 0) return;
    this.#state = 'closing';
    const request = { conversation_id: this.#follower.conversation };
    this.#channel.emit('chat_unsubscribe', request, () => {
      if (this.#state !== 'closing') return;
      if (this.#unanswered === 0) this.#subscribe();
      else this.#state = 'lost';
    });
  }
}

/** Whether the same request may succeed later. Codes in upper case are server faults. */
function isTemporary(code: string): boolean {
  return code === 'too_many_subscriptions' || code === 'busy' || code === code.toUpperCase();
}
