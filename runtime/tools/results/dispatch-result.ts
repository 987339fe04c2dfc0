import { isJsonObject, parseJson } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import { dispatchErrorChars } from '../limits.ts';
import type { DispatchResponse } from '../ports/dispatch.ts';
import { cutText } from '../text/cut-text.ts';

/**
 * The result in the response to a dispatched call: JSON, the `content` of an object that has nothing else, or plain text.
 * Refusal `dispatch_failed` with the status.
 */
export function resultOfDispatch(
  { status, contentType, text }: DispatchResponse,
  url: string,
): unknown {
  if (status >= 200 && status < 300) return resultIn(text, { status, contentType, url });
  const shown = cutText(text.trim(), dispatchErrorChars);
  const message = `${url} answered ${status}${shown === '' ? '' : `: ${shown}`}`;
  throw new Refusal('dispatch_failed', message, { retryable: status >= 500 || status === 429 });
}

/** Refusal `dispatch_failed` for a service that did not answer. */
export function notReached(url: string, error: unknown): Refusal {
  const because = error instanceof Error ? error.message : String(error);
  const message = `${url} could not be reached: ${cutText(because, dispatchErrorChars)}`;
  return new Refusal('dispatch_failed', message, { retryable: true });
}

type Source = { readonly status: number; readonly contentType: string; readonly url: string };

/** A response that calls itself JSON must be JSON. Any other text that looks like JSON is read as JSON. */
function resultIn(text: string, { status, contentType, url }: Source): unknown {
  const isDeclared = /\bjson\b/.test(contentType);
  const looksLikeJson = /^\s*[[{"]/.test(text);
  const json = isDeclared || looksLikeJson ? parseJson(text) : undefined;
  if (json !== undefined) return unwrap(json);
  if (!isDeclared) return text;
  throw new Refusal('dispatch_failed', `${url} answered ${status} with invalid JSON`);
}

function unwrap(json: unknown): unknown {
  const isWrapped = isJsonObject(json) && Object.keys(json).join() === 'content';
  return isWrapped ? json['content'] : json;
}
