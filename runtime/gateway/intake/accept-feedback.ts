import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Ids } from '../../base/ids.ts';
import { Refusal } from '../../base/refusal.ts';
import { messageId } from '../../client/protocol/request-schemas.ts';
import type { Bus } from '../../engine/ports/bus.ts';
import { type TurnId, toTurnId, turnToChoose } from '../../timeline/ids.ts';
import { paths } from '../../timeline/paths.ts';
import type {
  AcceptRequest,
  AcceptResult,
  ConversationRow,
  Sender,
  TimelineStore,
} from '../../timeline/ports/store.ts';
import type { Reaction } from '../../timeline/view.ts';
import { conversationNotFound } from '../auth/find-conversation.ts';
import { feedbackCharsMax } from './limits.ts';

export const feedbackText = z.string().max(feedbackCharsMax);

export type FeedbackEntry = {
  readonly turn: TurnId;
  /** Null takes back earlier feedback. */
  readonly reaction: Reaction | null;
  readonly text: string;
  readonly origin: 'user' | 'machine';
  readonly confidence: number;
  readonly messageId: string;
  readonly saidAt?: string;
  /** Feedback of one turn with the same key replaces each other. */
  readonly key?: string;
};

type Parts = {
  readonly store: TimelineStore;
  readonly bus: Bus;
  readonly ids: Ids;
  readonly signal: AbortSignal;
};

/** Stores feedback on a turn and notifies subscribers. Refusals `not_found`, `conflict`. */
export async function acceptFeedback(
  row: ConversationRow,
  entry: FeedbackEntry,
  { store, bus, ids, signal }: Parts,
): Promise<AcceptResult> {
  const { tenant, project, user } = row;
  const sender = { tenant, project, user };
  await findTurn(store, sender, { row, turn: entry.turn, signal });
  const newTurn = toTurnId(ids.next('turn'));
  const accepted = await store.accept({ ...toRequest(row, entry), sender, newTurn }, { signal });
  const { status, seq } = accepted;
  if (status === 'conflict') {
    const used = `message id ${entry.messageId} is already used for another message`;
    throw new Refusal('conflict', used);
  }
  if (status === 'gone') throw conversationNotFound(row.id);
  if (status === 'queued') bus.publish(row.key, [{ kind: 'head', head: seq }]);
  return accepted;
}

type RatedTurn = { readonly row: ConversationRow; readonly turn: TurnId };

/** Refusal `not_found`. */
async function findTurn(
  store: TimelineStore,
  sender: Sender,
  { row, turn, signal }: RatedTurn & { readonly signal: AbortSignal },
): Promise<void> {
  const query = { conversation: row.id, only: [turn], targets: [], order: 'asc' } as const;
  const isId = messageId.safeParse(turn).success;
  const page = { ...query, offset: 0, limit: 1 };
  if (isId && (await store.turns(sender, page, { signal })).total > 0) return;
  throw new Refusal('not_found', `turn ${turn} not found in conversation ${row.id}`);
}

function toRequest(
  row: ConversationRow,
  { turn, reaction, text, origin, confidence, messageId: message, saidAt, key }: FeedbackEntry,
): Omit<AcceptRequest, 'sender' | 'newTurn'> {
  const said = reaction === null ? '' : text.trim();
  const event: AcceptRequest['events'][number] = {
    type: 'feedback',
    turn: turnToChoose,
    author: origin === 'user' ? 'user' : 'system',
    path: paths.feedback(turn, key),
    ...(said !== '' && { text: said }),
    data: {
      ...{ turn_id: turn, reaction, origin, confidence, message_id: message },
      ...(saidAt === undefined ? {} : { said_at: saidAt }),
    },
  };
  const own = origin === 'user' ? [] : [origin, key ?? null, confidence];
  const body = JSON.stringify(['feedback', row.id, turn, reaction, said, saidAt ?? null, ...own]);
  return {
    conversation: row.id,
    newConversation: row.id,
    message,
    digest: createHash('sha256').update(body).digest('hex'),
    events: [event],
    reactive: false,
    turnData: null,
  };
}
