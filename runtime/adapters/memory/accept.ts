import { noTurn, toSeq } from '../../timeline/ids.ts';
import type { AcceptRequest, AcceptResult } from '../../timeline/ports/store.ts';
import { type Conversation, placeInTurn, toTurnOpen, write } from './conversation.ts';

/** The result if the event must not be accepted; undefined if it may be. */
export function refusedIn(
  known: Conversation | undefined,
  { conversation, newConversation, expectTurn, needsTurn = false }: AcceptRequest,
): AcceptResult | undefined {
  const nothing = {
    conversation: conversation ?? newConversation,
    key: known?.row.key,
    seq: known?.row.head ?? toSeq(0),
  };
  if (known?.erasedAtMs !== undefined) {
    return { ...nothing, status: 'gone', key: undefined, turn: undefined, seq: toSeq(0) };
  }
  const open = known?.row.openTurn;
  const isStale = expectTurn !== undefined && expectTurn !== open;
  if (!isStale && !(needsTurn && open === undefined)) return undefined;
  return { ...nothing, status: 'refused', turn: open };
}

/** Writes an event from outside. */
export function acceptIn(
  conversation: Conversation,
  request: AcceptRequest,
  nowMs: number,
): AcceptResult {
  const { row } = conversation;
  const { joining = request.events } = request;
  const chosen = row.openTurn === undefined ? request.events : joining;
  const starts = row.openTurn === undefined && request.reactive;
  if (starts) row.openTurn = request.newTurn;
  const turn = row.openTurn ?? noTurn;
  const events = chosen.map((event) => placeInTurn(event, turn));
  write(conversation, starts ? [toTurnOpen(request, turn), ...events] : events, nowMs);
  if (chosen.some(({ type }) => type === 'external.steer')) row.steer = row.head;
  if (request.reactive) {
    row.reactive = row.head;
    conversation.dueAtMs = Math.min(conversation.dueAtMs ?? nowMs, nowMs);
  }
  const status = starts ? 'started' : 'queued';
  return { status, key: row.key, conversation: row.id, turn: row.openTurn, seq: row.head };
}
