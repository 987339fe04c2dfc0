import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { isFault } from '../../../base/fault.ts';
import { isRefusal, Refusal } from '../../../base/refusal.ts';
import { streamEnded } from './http.ts';

/** Why a server cannot be used. `text` is for anybody, `detail` for the log and whoever loads the bundle. */
export type ConnectionProblem = {
  readonly code: 'mcp_unreachable' | 'mcp_unauthorized';
  readonly text: string;
  readonly detail: string;
};

/** What kept us from connecting. */
export function toConnectionProblem(error: unknown): ConnectionProblem {
  const detail = detailOf(error);
  if (isUnauthorized(error)) {
    return { code: 'mcp_unauthorized', text: 'it refuses our credentials', detail };
  }
  const text = isFault(error) ? 'a secret of it is not set' : 'it does not answer as it should';
  return { code: 'mcp_unreachable', text, detail };
}

/**
 * What an error of a call says: nothing of the session; that the answer broke off (`cut`), or the session with it
 * (`lost`), so that nobody knows what became of the call; that the server cannot be reached, does not know the session
 * any more (the call was not looked at: `gone`), or does not let us in.
 */
export function classifyError(error: unknown): ErrorClass {
  if (isUnauthorized(error)) return 'unauthorized';
  if (statusOf(error) === 404) return 'gone';
  if (error instanceof SdkError && error.code === SdkErrorCode.NotConnected) return 'unreachable';
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) return 'lost';
  if (error instanceof ProtocolError) return Number(error.code) === streamEnded ? 'cut' : 'none';
  if (error instanceof SdkError || isRefusal(error)) return 'none';
  return neverSent.has(codeOf(error)) ? 'unreachable' : 'lost';
}

type ErrorClass = 'none' | 'cut' | 'lost' | 'unreachable' | 'gone' | 'unauthorized';

/** A connection that was never made has carried nothing. */
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

/** Of the answer of an HTTP server; also where it is the cause of an error. */
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
