import { setTimeout as sleep } from 'node:timers/promises';

/** Rejects with the signal's reason. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
  signal.throwIfAborted();
}
