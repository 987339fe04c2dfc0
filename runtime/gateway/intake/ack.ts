import { toWire } from '../../base/fault.ts';
import { isRefusal } from '../../base/refusal.ts';
import type { MessageAck, WireError } from '../../client/protocol/envelope.ts';
import type { ChatMessage } from '../../client/protocol/request-schemas.ts';
import { toSeq } from '../../timeline/ids.ts';
import type { AcceptResult, Sender } from '../../timeline/ports/store.ts';
import { afterBlock, type Position, toCursor } from '../feed/cursor.ts';
import type { FollowedConversation } from '../feed/feed.ts';

export type IntakeResult = {
  readonly ack: MessageAck;
  /** Set if the message was accepted: the conversation, and the position right before its event. */
  readonly from?: { readonly row: FollowedConversation; readonly start: Position };
};

/** The part of an error that a client may read. */
export function toWireError(error: unknown): WireError {
  if (!isRefusal(error)) return toWire(error);
  const { code, message, retryAfterMs, facts } = error;
  const retry = retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs };
  return { code, message, ...facts, ...retry };
}

export function toConflict({ message_id }: ChatMessage): MessageAck {
  const message = `message id ${message_id} is already used for another message`;
  return { ok: false, status: 'conflict', error: { code: 'conflict', message } };
}

/** Before the first block of the event; before its `turn.open`, if it opened one. `events`: the number of its blocks. */
export function subscriptionStart(
  { seq, opened, windowSeq }: AcceptResult,
  events: number,
): Position {
  const before = Math.max(0, opened ? seq - events - 1 : seq - events);
  if (opened) return afterBlock(toSeq(before), before + 1);
  // The beginning of a compacted turn is not stored: start at the beginning of the conversation.
  return afterBlock(toSeq(before), before + 1 < windowSeq ? 1 : windowSeq);
}

/** The conversation that a message was just accepted into: its event is the last block. */
export function followed(
  { tenant, project, user }: Sender,
  { key, conversation: id, seq: head, windowSeq }: AcceptResult,
): FollowedConversation | undefined {
  return key === undefined ? undefined : { tenant, project, user, key, id, head, windowSeq };
}

export function toAck(
  { conversation, turn, seq, opened }: AcceptResult,
  status: 'started' | 'queued' | 'duplicate',
  { message, start }: { message: ChatMessage; start: Position },
): MessageAck {
  const names = {
    conversation_id: conversation,
    turn_id: turn ?? '',
    event_id: message.message_id,
  };
  const options = message.options === undefined ? {} : { options_applied: opened };
  return { ok: true, status, ...names, seq, cursor: toCursor(conversation, start), ...options };
}
