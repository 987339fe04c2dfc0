const mark = Symbol.for('timeloom.refusal');

/** An expected no. Returned, or thrown from a helper, it means the same. `code` is in lower_case. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly [mark] = true;

  constructor(
    code: string,
    message: string,
    { retryable = false, retryAfterMs }: { retryable?: boolean; retryAfterMs?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.retryable = retryable;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

/** By mark, not by class: a bundle may carry its own copy of this module. */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && mark in value;
}
