import type { Ids } from '../../base/ids.ts';
import { Refusal } from '../../base/refusal.ts';
import type { ChatMessage } from '../../client/protocol/request-schemas.ts';
import type { Bus } from '../../engine/ports/bus.ts';
import type { Accepted, Sender, TimelineStore } from '../../timeline/ports/store.ts';
import { notFound } from '../auth/find-conversation.ts';
import type { Hosted } from '../files/host-file.ts';
import { digestOf, type Meant, toForms } from './classify-message.ts';
import { openTextCharsMax } from './limits.ts';

/** A message whose meaning is known, from whoever says it. */
export type Order = {
  readonly sender: Sender;
  readonly message: ChatMessage;
  readonly meant: Meant;
  readonly files: readonly Hosted[];
  readonly agent: { readonly bundle: string; readonly agent: string };
};

type Parts = {
  readonly store: TimelineStore;
  readonly bus: Bus;
  readonly ids: Ids;
  readonly signal: AbortSignal;
};
type Taken = Accepted & { readonly status: 'started' | 'queued' | 'duplicate' | 'conflict' };

/** Durable, and told to whoever waits for it. Refusals `not_found`, `turn_closed`, `turn_changed`. */
export async function acceptEvent(
  order: Order,
  { store, bus, ids, signal }: Parts,
): Promise<{ readonly accepted: Taken; readonly events: number }> {
  const { sender, message, meant, files, agent } = order;
  const { conversation_id, expected_turn_id } = message;
  const expected = meant.expectTurn ?? expected_turn_id;
  const opening = meant.text.slice(0, openTextCharsMax).toWellFormed();
  const request = {
    sender,
    newConversation: ids.next('conv'),
    message: message.message_id,
    digest: digestOf(message, files),
    ...toForms(message, meant, files),
    reactive: meant.reactive,
    newTurn: ids.next('turn'),
    turnData: { ...agent, text: opening },
    needsTurn: meant.needsTurn,
    ...(conversation_id !== undefined && { conversation: conversation_id }),
    ...(expected !== undefined && { expectTurn: expected }),
  };
  const accepted = await store.accept(request, { signal });
  const { status, key, seq } = accepted;
  if (status === 'gone' || status === 'refused') throw refusalOf(accepted, order);
  if (key !== undefined && (status === 'started' || status === 'queued')) {
    tell(bus, key, { seq, meant });
  }
  return { accepted: { ...accepted, status }, events: request.events.length };
}

function tell(bus: Bus, key: number, { seq, meant }: { seq: number; meant: Meant }): void {
  bus.publish(key, [{ kind: 'head', head: seq }]);
  if (meant.reactive) bus.wake(key);
  if (meant.type === 'external.steer') bus.steer(key, seq);
}

function refusalOf(accepted: Accepted, { message, meant }: Order): Refusal {
  if (accepted.status === 'gone') return notFound(accepted.conversation);
  if (meant.refusal) return meant.refusal;
  if (meant.answer) return new Refusal('turn_closed', 'the turn that waited is over');
  if (message.expected_turn_id === undefined) {
    return new Refusal('turn_closed', `no turn is at work; a ${message.kind} needs one`);
  }
  return new Refusal('turn_changed', `${message.expected_turn_id} is no longer the turn at work`);
}
