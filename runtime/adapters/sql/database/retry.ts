import { isFault } from '../../../base/fault.ts';

/** For statements that may run twice: a lost connection is tried once more, on a fresh one. */
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
