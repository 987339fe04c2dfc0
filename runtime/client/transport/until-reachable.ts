import { isFault } from '../../base/fault.ts';
import { isRefusal } from '../../base/refusal.ts';
import { subscribeMs, subscribeMsMax } from '../protocol/limits.ts';
import type { Connection } from './connection.ts';

/** Repeats a read while the server cannot be reached or is temporarily unable to answer, until the client is closed. */
export async function untilReachable<T>(
  connection: Connection,
  read: () => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (!isTemporary(error)) throw error;
    }
    await connection.pause(Math.min(subscribeMsMax, subscribeMs * 2 ** tries));
  }
}

/** Codes in upper case are server faults. */
function isTemporary(error: unknown): boolean {
  if (isFault(error)) return error.kind === 'transient';
  return isRefusal(error) && (error.retryable || error.code === error.code.toUpperCase());
}
