import type { Draft } from '../../timeline/block.ts';
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
    opened: false,
    windowSeq: known?.row.windowSeq ?? toSeq(1),
  };
  if (known?.erasedAtMs !== undefined) {
    return {
      ...nothing,
      status: 'gone',
      key: undefined,
      turn: undefined,
      seq: toSeq(0),
      windowSeq: toSeq(1),
    };
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
  const isOpen = row.openTurn !== undefined;
  const chosen = request.events.map(
    ({ joining, ...event }): Draft => (isOpen ? { ...event, ...joining } : event),
  );
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
  const { key, id, openTurn, head, windowSeq } = row;
  return { status, key, conversation: id, turn: openTurn, seq: head, opened: starts, windowSeq };
}
