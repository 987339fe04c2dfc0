import { isFault, isFaultCode } from '../../base/fault.ts';
import { faults } from '../../base/faults.ts';
import { isRefusal } from '../../base/refusal.ts';

/** The HTTP status of each refusal. */
const statuses = {
  invalid_input: 400,
  cursor_invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  wrong_method: 405,
  conflict: 409,
  turn_changed: 409,
  turn_closed: 409,
  attachment_refused: 413,
  too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  busy: 429,
} as const;

export type Status = (typeof statuses)[keyof typeof statuses] | 500 | 503;

export function statusOf(error: unknown): Status {
  return isRefusal(error) || isFault(error) ? statusOfCode(error.code) : 500;
}

export function statusOfCode(code: string): Status {
  const known: Readonly<Record<string, Status>> = statuses;
  if (code === code.toLowerCase()) return known[code] ?? 400;
  return isFaultCode(code) && faults[code].kind === 'transient' ? 503 : 500;
}
