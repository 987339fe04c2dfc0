import { Fault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import type { WireError } from '../protocol/envelope.ts';
import { clientHeader, projectHeader } from '../protocol/routes.ts';
import { toRefusal } from '../protocol/to-refusal.ts';
import type { Credentials } from './connection.ts';

type Init = RequestInit & { readonly headers?: Readonly<Record<string, string>> };
export type Http = (path: string, init?: Init) => Promise<Response>;

/** HTTP requests with the same credentials as the socket. A server's refusal rejects as a Refusal. */
export function createHttp(url: string, credentials: Credentials): Http {
  return async (path, init = {}) => {
    const { token, user, tenant, project } = await credentials();
    const headers = {
      ...init.headers,
      [clientHeader]: 'timeloom',
      [projectHeader]: `${tenant}/${project}`,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(user !== undefined && { 'x-timeloom-user': user }),
      ...(typeof init.body === 'string' && { 'content-type': 'application/json' }),
    };
    const response = await fetch(new URL(path, url), { ...init, headers }).catch(unreachable);
    if (response.ok) return response;
    throw await toHttpRefusal(response);
  };
}

/** `fetch` rejects with a TypeError if it cannot connect, and with the signal's reason if it is aborted. */
function unreachable(cause: unknown): never {
  if (cause instanceof TypeError) throw new Fault('SERVER_UNREACHABLE', {}, { cause });
  throw cause;
}

/** Reads a JSON response. A server of this version sends what the type says. */
export async function fetchJson<Answer>(http: Http, path: string, init?: Init): Promise<Answer> {
  return (await (await http(path, init)).json()) as Answer;
}

async function toHttpRefusal(response: Response): Promise<Refusal> {
  const body: unknown = await response.json().catch(() => undefined);
  const error =
    typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  if (isWireError(error)) return toRefusal(error);
  // A proxy answers for a server that it cannot reach.
  const retryable = response.status >= 500;
  return new Refusal('http_failed', `the server answered ${response.status}`, { retryable });
}

function isWireError(value: unknown): value is WireError {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value;
}
