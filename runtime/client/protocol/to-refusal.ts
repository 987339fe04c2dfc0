import { isRefusal, Refusal } from '../../base/refusal.ts';
import type { WireError } from './envelope.ts';

export function toRefusal({ code, message, retry_after_ms, file, reason }: WireError): Refusal {
  const retry = retry_after_ms === undefined ? {} : { retryAfterMs: retry_after_ms };
  const facts = { ...(file !== undefined && { file }), ...(reason !== undefined && { reason }) };
  return new Refusal(code, message, { retryable: code === 'busy', ...retry, facts });
}

/** The server reports that another turn or none is running, which means that the intended turn is over. */
export function toTurnRefusal(error: WireError, turn: string | undefined): Refusal {
  if (error.code !== 'turn_changed' || turn === undefined) return toRefusal(error);
  return new Refusal('turn_closed', `${turn} is over`);
}

export function toSendRefusal(error: unknown): Refusal {
  return isRefusal(error) ? error : new Refusal('not_sent', 'the message was not sent');
}

export function unknownCursor(): Refusal {
  return new Refusal(
    'cursor_invalid',
    'this cursor is not known here; open the conversation with it, in a client that has not opened it yet',
  );
}
