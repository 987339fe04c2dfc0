import type { Ids } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import type { ChatMessage } from '../../client/protocol/request-schemas.ts';
import type { Bus } from '../../engine/ports/bus.ts';
import { toTurnId } from '../../timeline/ids.ts';
import type { AcceptResult, Sender, TimelineStore } from '../../timeline/ports/store.ts';
import { conversationNotFound } from '../auth/find-conversation.ts';
import { withoutUndefined } from '../feed/wire-json.ts';
import type { HostedFile } from '../files/host-file.ts';
import { digestOf, type IntakeEvent, toDrafts } from './classify-message.ts';
import { openTextCharsMax } from './limits.ts';

/** A classified message with its sender. */
export type Submission = {
  readonly sender: Sender;
  readonly message: ChatMessage;
  readonly event: IntakeEvent;
  readonly files: readonly HostedFile[];
  readonly agent: { readonly bundle: string; readonly agent: string };
  readonly transcript?: string;
  /** The call that the turn makes, without a model. */
  readonly call?: { readonly tool: string; readonly input: JsonObject } | undefined;
  /** A turn that is run again: which one, and with which model instead of its agent's. */
  readonly rerun?: Rerun | undefined;
};

export type Rerun = {
  readonly of: { readonly conversation: string; readonly turn: string };
  readonly model?: string | undefined;
};

type Parts = {
  readonly store: TimelineStore;
  readonly bus: Bus;
  readonly ids: Ids;
  readonly signal: AbortSignal;
};
type AcceptedEvent = AcceptResult & {
  readonly status: 'started' | 'queued' | 'duplicate' | 'conflict';
};

/** Stores the event and notifies workers and subscribers. Refusals `not_found`, `turn_closed`, `turn_changed`. */
export async function acceptEvent(
  submission: Submission,
  { store, bus, ids, signal }: Parts,
): Promise<{ readonly accepted: AcceptedEvent; readonly events: number }> {
  const { sender, message, event, files, agent, transcript, call, rerun } = submission;
  const { conversation_id, expected_turn_id } = message;
  const expected =
    event.expectTurn ?? (expected_turn_id === undefined ? undefined : toTurnId(expected_turn_id));
  const opening = event.text.slice(0, openTextCharsMax).toWellFormed();
  const again = { model: rerun?.model, rerun_of: rerun?.of };
  const request = {
    sender,
    newConversation: ids.next('conv'),
    message: message.message_id,
    digest: digestOf(message, files, transcript),
    events: toDrafts(message, event, { files, transcript }),
    reactive: event.reactive,
    newTurn: toTurnId(ids.next('turn')),
    turnData: withoutUndefined({
      ...agent,
      text: opening,
      options: message.options,
      call,
      ...again,
    }),
    needsTurn: event.needsTurn,
    ...(conversation_id !== undefined && { conversation: conversation_id }),
    ...(expected !== undefined && { expectTurn: expected }),
  };
  const accepted = await store.accept(request, { signal });
  const { status, key, seq } = accepted;
  if (status === 'gone' || status === 'refused') throw refusalOf(accepted, submission);
  if (key !== undefined && (status === 'started' || status === 'queued')) {
    const steer = event.type === 'external.steer';
    bus.announce(key, { head: seq, wake: event.reactive, steer });
    bus.touch(sender);
  }
  return { accepted: { ...accepted, status }, events: request.events.length };
}

function refusalOf(accepted: AcceptResult, { message, event }: Submission): Refusal {
  if (accepted.status === 'gone') return conversationNotFound(accepted.conversation);
  if (event.refusal) return event.refusal;
  if (event.answer)
    return new Refusal('turn_closed', 'the turn that waited for this answer is closed');
  if (message.expected_turn_id === undefined) {
    return new Refusal('turn_closed', `no turn is open; a ${message.kind} requires an open turn`);
  }
  return new Refusal('turn_changed', `${message.expected_turn_id} is no longer the open turn`);
}
