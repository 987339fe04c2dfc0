import { Refusal } from '../../base/refusal.ts';

const code = 'client_closed';

export function clientClosed(): Refusal {
  return new Refusal(code, 'the client is closed');
}

/** Its user wanted that: what listens is at its end, not in trouble. */
export function isClientClosed(error: Refusal): boolean {
  return error.code === code;
}
