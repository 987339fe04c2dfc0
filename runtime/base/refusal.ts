const mark = Symbol.for('timeloom.refusal');

/** The refused file and the reason. */
type RefusalFacts = { readonly file?: string; readonly reason?: string };
type RefusalOptions = { retryable?: boolean; retryAfterMs?: number; facts?: RefusalFacts };

/** An expected no. It means the same whether it is returned or thrown. `code` is in lower_case. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  /** Machine-readable details in addition to the code. */
  readonly facts?: RefusalFacts;
  readonly [mark] = true;

  /** A widget catches refusals from its page, which has its own copy of the class. */
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

/** Checks a symbol, not the class: a bundle may contain its own copy of this module. */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && mark in value;
}
