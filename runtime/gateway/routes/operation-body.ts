import { addAbortListener } from 'node:events';
import { readBytes } from '../../base/bytes/read-bytes.ts';
import { Refusal } from '../../base/refusal.ts';
import { Cancelled, untilAborted, Work } from '../../base/signal.ts';
import { operationBodyBytesMax } from '../../sdk/contract/limits.ts';
import { bodyDeadlineMs } from './limits.ts';

/** Refusals `too_large`, `invalid_input`: the body did not arrive in time. */
export async function readOperationBody(
  { body, signal }: Request,
  { closing }: { closing: AbortSignal },
): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  using work = new Work(closing, { deadlineMs: bodyDeadlineMs });
  using _caller = addAbortListener(signal, () => work.stop('shutdown'));
  const limit = { bytesMax: operationBodyBytesMax, what: 'the request body' };
  try {
    return await untilAborted(readBytes(body, limit), work.signal);
  } catch (error) {
    if (!(error instanceof Cancelled) || error.why !== 'deadline') throw error;
    const message = `the request body did not arrive within ${bodyDeadlineMs / 1000} seconds`;
    throw new Refusal('invalid_input', message);
  }
}
