import { isFault } from '../../../base/fault.ts';
import type { ModelEvent } from '../../../engine/ports/model.ts';
import { modelRetryWaitMs, modelRetryWaitMsMax } from './limits.ts';
import { toModelFault } from './model-faults.ts';
import { pause } from './pause.ts';

/** A provider's stream; its errors become faults, or the signal's reason once aborted. */
export async function* withFaults<T>(
  open: () => PromiseLike<AsyncIterable<T>>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  try {
    yield* await open();
  } catch (error) {
    signal.throwIfAborted();
    throw toModelFault(error);
  }
  // The libraries end an aborted stream like a complete one.
  signal.throwIfAborted();
}

/** Retries only until the first part of the reply has arrived: a later retry would give a different reply. */
export async function* withRetries(
  attempt: () => AsyncIterable<ModelEvent>,
  { signal, retriesMax }: { signal: AbortSignal; retriesMax: number },
): AsyncGenerator<ModelEvent> {
  for (let failures = 0; ; failures += 1) {
    let begun = false;
    try {
      for await (const event of attempt()) {
        begun ||= event.kind !== 'begun';
        yield event;
      }
      return;
    } catch (error) {
      const waitMs = begun || failures >= retriesMax ? undefined : waitMsOf(error, failures);
      if (waitMs === undefined) throw error;
      await pause(waitMs, signal);
    }
  }
}

function waitMsOf(error: unknown, failures: number): number | undefined {
  if (!isFault(error) || error.kind !== 'transient') return undefined;
  const wished = error.detail['retryAfterMs'];
  const waitMs = typeof wished === 'number' ? wished : modelRetryWaitMs * 2 ** failures;
  return waitMs > modelRetryWaitMsMax ? undefined : waitMs;
}
