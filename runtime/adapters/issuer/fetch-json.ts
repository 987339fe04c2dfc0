import { readBytes } from '../../base/bytes/read-bytes.ts';
import { Fault } from '../../base/fault.ts';
import { parseJson } from '../../base/json.ts';
import { Work } from '../../base/signal.ts';
import { issuerAnswerBytesMax, issuerDeadlineMs } from './limits.ts';

/** Fetches JSON from the issuer. Fault `ISSUER_UNREACHABLE`. */
export async function fetchFromIssuer(
  url: string,
  { signal }: { signal: AbortSignal },
): Promise<unknown> {
  using work = new Work(signal, { deadlineMs: issuerDeadlineMs });
  try {
    const headers = { accept: 'application/json' };
    const answer = await fetch(url, { headers, redirect: 'error', signal: work.signal });
    if (!answer.ok) throw new Error(`HTTP status ${answer.status}`);
    return parseJson(await textOf(answer));
  } catch (cause) {
    signal.throwIfAborted();
    throw new Fault('ISSUER_UNREACHABLE', { because: `${url}: ${reasonOf(cause)}` }, { cause });
  }
}

async function textOf({ body }: Response): Promise<string> {
  const limit = { bytesMax: issuerAnswerBytesMax, what: 'the answer' };
  return body ? new TextDecoder().decode(await readBytes(body, limit)) : '';
}

/** An error of `fetch` only says that it failed; the reason is in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
