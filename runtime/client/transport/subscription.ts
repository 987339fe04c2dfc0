import type { Refusal } from '../../base/refusal.ts';
import type { MessageAck, SubscribeAck, WireEnvelope } from '../protocol/envelope.ts';
import { subscribeMs, subscribeMsMax } from '../protocol/limits.ts';
import { toRefusal } from '../protocol/to-refusal.ts';

/** A conversation that is followed: where to go on from, and who is told. */
export type Follower = {
  readonly conversation: string;
  /** Whether the server has ever said something of it. */
  isKnown(): boolean;
  /** Where the next subscription begins; empty: at the beginning. */
  position(): { readonly after?: string; readonly tail?: number };
  receive(envelope: WireEnvelope): void;
  connected(connected: boolean): void;
  /** What is told from here on may be past, up to `head` once the server has said it. */
  subscribing(): void;
  subscribed(begun: { readonly head: number; readonly start?: string }): void;
  /** The server accepted a message without following its conversation; `cursor` is right before the message. */
  missed(cursor: string): void;
  refused(error: Refusal): void;
};

/** Runs a step after a delay. The result cancels it. */
export type Schedule = (step: () => void, delayMs: number) => () => void;

/** The socket of the moment. */
export type Channel = {
  readonly schedule: Schedule;
  emit<Ack>(event: string, payload: object, answered: (ack: Ack) => void): void;
};

/**
 * One follower's subscription on one connection after another.
 *
 * A lost one tells nothing: the server may follow the conversation again from a later message, and its follower goes
 * on from its own cursor. So a new one begins only when no message is under way and the server has let the old one go.
 */
export class Subscription {
  readonly #follower: Follower;
  readonly #channel: Channel;
  #state: 'open' | 'lost' | 'closing' = 'open';
  /** Messages of the conversation that the server has not acknowledged. */
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

  /** On a connection that follows nothing yet. */
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
    // Not there yet: the first message makes it, and following it with that.
    const isMissing = !ack.ok && ack.error.code === 'not_found' && !this.#follower.isKnown();
    if (ack.ok || isMissing) this.#follower.subscribed(ack.ok ? ack : { head: 0 });
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

  /** With a message under way, its acknowledgement comes first. */
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

/** The same request may succeed later. Codes in upper case are faults of the server. */
function isTemporary(code: string): boolean {
  return code === 'too_many_subscriptions' || code === 'busy' || code === code.toUpperCase();
}
