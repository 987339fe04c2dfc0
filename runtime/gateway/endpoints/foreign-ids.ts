import { createHash } from 'node:crypto';
import { id } from '../../client/protocol/request-schemas.ts';

/** The message id for an id of another protocol, such as an idempotency key: itself where it can be one. */
export function toMessageId(foreign: string): string {
  if (id.safeParse(foreign).success) return foreign;
  return `msg_${createHash('sha256').update(foreign).digest('hex').slice(0, 40)}`;
}
