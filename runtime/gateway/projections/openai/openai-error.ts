import type { TurnFailure } from './steps.ts';

export type OpenAiError = {
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
  readonly param: string | null;
};

/** The failure that ended a turn. */
export function turnError({ code, message }: TurnFailure): OpenAiError {
  return { message, type: 'server_error', code: code || 'turn_failed', param: null };
}

/**
 * The answer is not what was streamed: it was written again after a part had been sent. The stream cannot take that part
 * back, so it ends with an error that has the answer.
 */
export function replacedAnswer(answer: string): OpenAiError & { readonly answer: string } {
  const message =
    'the answer was written again after a part of it had been sent; discard that part and use error.answer';
  return { message, type: 'server_error', code: 'answer_replaced', param: null, answer };
}
