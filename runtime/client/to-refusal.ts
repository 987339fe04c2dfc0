import { Refusal } from '../base/refusal.ts';
import type { WireError } from './envelope.ts';

export function toRefusal({ code, message, retry_after_ms, file, reason }: WireError): Refusal {
  const retry = retry_after_ms === undefined ? {} : { retryAfterMs: retry_after_ms };
  const facts = { ...(file !== undefined && { file }), ...(reason !== undefined && { reason }) };
  return new Refusal(code, message, { retryable: code === 'busy', ...retry, facts });
}
