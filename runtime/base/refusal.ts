const mark = Symbol.for('timeloom.refusal');

/** The file that was refused, and why. */
type RefusalFacts = { readonly file?: string; readonly reason?: string };
type RefusalOptions = { retryable?: boolean; retryAfterMs?: number; facts?: RefusalFacts };

/** An expected no. Returned, or thrown from a helper, it means the same. `code` is in lower_case. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  /** What a program may act on, beside the code. */
  readonly facts?: RefusalFacts;
  readonly [mark] = true;

  /** A widget catches refusals of its page, whose class is another one. */
  static override [Symbol.hasInstance](value: unknown): value is Refusal {
    return isRefusal(value);
  }

  constructor(
    code: string,
    message: string,
    { retryable = false, retryAfterMs, facts }: RefusalOptions = {},
  ) {
    super(message);
    this.code = code;
    this.retryable = retryable;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
    if (facts !== undefined) this.facts = facts;
  }
}

/** By mark, not by class: a bundle may carry its own copy of this module. */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && mark in value;
}
