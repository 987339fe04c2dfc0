import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { isFault } from '../../../base/fault.ts';
import { isRefusal, Refusal } from '../../../base/refusal.ts';
import { streamEnded } from './http.ts';

/** Why a server cannot be used. `text` is for everyone, `detail` for the log and for the person who loads the bundle. */
export type ConnectionProblem = {
  readonly code: 'mcp_unreachable' | 'mcp_unauthorized';
  readonly text: string;
  readonly detail: string;
};

/** Explains why connecting failed. */
export function toConnectionProblem(error: unknown): ConnectionProblem {
  const detail = detailOf(error);
  if (isUnauthorized(error)) {
    return { code: 'mcp_unauthorized', text: 'it refuses our credentials', detail };
  }
  const text = isFault(error) ? 'a secret of it is not set' : 'it does not answer as it should';
  return { code: 'mcp_unreachable', text, detail };
}

/**
 * Classifies the error of a call. `none`: it says nothing about the session. `cut`: the answer broke off; `lost`: the
 * session did; in both cases the outcome of the call is unknown. `unreachable`: the server cannot be reached. `gone`: it
 * no longer knows the session and did not run the call. `unauthorized`: it rejects our credentials.
 */
export function classifyError(error: unknown): ErrorClass {
  if (isUnauthorized(error)) return 'unauthorized';
  if (statusOf(error) === 404) return 'gone';
  if (error instanceof SdkError && error.code === SdkErrorCode.NotConnected) return 'unreachable';
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) return 'lost';
  if (error instanceof ProtocolError) return error.data === streamEnded ? 'cut' : 'none';
  if (error instanceof SdkError || isRefusal(error)) return 'none';
  return neverSent.has(codeOf(error)) ? 'unreachable' : 'lost';
}

type ErrorClass = 'none' | 'cut' | 'lost' | 'unreachable' | 'gone' | 'unauthorized';

/** Error codes of connections that were never established, so the call was not sent. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

export function toRefusal(server: string, { code, text }: ConnectionProblem): Refusal {
  const message = `The MCP server “${server}” is out of reach: ${text}. Go on without its tools, or try again later.`;
  return new Refusal(code, message, { retryable: code === 'mcp_unreachable' });
}

function isUnauthorized(error: unknown): boolean {
  const status = statusOf(error);
  return status === 401 || status === 403;
}

/** HTTP status of an error or of its cause. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status;
  return error instanceof Error && error.cause !== undefined ? statusOf(error.cause) : undefined;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return 'code' in error ? String(error.code) : codeOf(error.cause);
}

export function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${detailOf(error.cause)})` : '';
  return `${error.message}${cause}`;
}
