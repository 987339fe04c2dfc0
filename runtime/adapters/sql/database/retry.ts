import { isFault } from '../../../base/fault.ts';

/** Retries once on a fresh connection when the connection was lost; for statements that may run twice. */
export async function withRetry<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  signal?.throwIfAborted();
  try {
    return await ask();
  } catch (error) {
    if (!isFault(error) || error.kind !== 'transient') throw error;
    signal?.throwIfAborted();
    return await ask();
  }
}
