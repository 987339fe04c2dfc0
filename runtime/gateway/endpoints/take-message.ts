import type { Context } from 'hono';
import { toRefusal } from '../../client/protocol/to-refusal.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { sentUpTo } from '../projections/resume-point.ts';
import type { TurnStream } from './turn-stream.ts';

/** An accepted message, and what a stream needs to follow the turn that answers it. */
export type TakenMessage = Pick<TurnStream, 'row' | 'after'> & {
  readonly event: NonNullable<TurnStream['event']>;
  readonly status: 'started' | 'queued' | 'duplicate';
};

type TakeParts = Pick<HttpParts, 'deps' | 'intake' | 'closing'> & {
  /** Earlier messages that the client keeps and sends again. */
  readonly transcript?: string | undefined;
};

/**
 * Hands a message of another protocol to the same intake as every message: admission, rates, files, idempotency. Throws
 * what the intake refuses, for the error shape of the protocol.
 */
export async function takeMessage(
  context: Context<Env>,
  { deps, intake, closing: signal, transcript }: TakeParts,
  message: object,
): Promise<TakenMessage> {
  const options = { signal, transcript };
  const sender = context.get('sender');
  const { ack, from } = await intake.take(sender, message, options);
  if (!ack.ok) throw toRefusal(ack.error);
  const row = from && (await deps.store.find(sender, ack.conversation_id, { signal }));
  // The conversation was erased in the meantime.
  if (from === undefined || row === undefined)
    throw toRefusal({ code: 'not_found', message: 'conversation not found' });
  const event = { id: ack.event_id, turn: ack.turn_id, from: from.start };
  return { row, after: sentUpTo(from.start), event, status: ack.status };
}

/** One message after the other. An answer to what was answered in the meantime counts if another one is new. */
export async function takeAll(
  messages: readonly object[],
  take: (message: object) => Promise<TakenMessage>,
): Promise<TakenMessage> {
  let last: TakenMessage | undefined;
  let failure: unknown;
  for (const message of messages) {
    try {
      last = await take(message);
    } catch (error) {
      failure = error;
    }
  }
  if (last === undefined) throw failure;
  return last;
}
