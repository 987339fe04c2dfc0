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

type Retries = {
  readonly signal: AbortSignal;
  readonly retriesMax: number;
  /** Whether the same request may succeed at once, without what the server has just rejected. */
  readonly learn?: (error: unknown) => boolean;
};

/** Retries only until the first part of the reply has arrived: a later retry would give a different reply. */
export async function* withRetries(
  attempt: () => AsyncIterable<ModelEvent>,
  retries: Retries,
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
      const waitMs = begun ? undefined : waitMsBefore(error, failures, retries);
      if (waitMs === undefined) throw error;
      await pause(waitMs, retries.signal);
    }
  }
}

/** Undefined: no further attempt. */
function waitMsBefore(
  error: unknown,
  failures: number,
  { retriesMax, learn }: Retries,
): number | undefined {
  if (learn?.(error)) return 0;
  if (failures >= retriesMax || !isFault(error) || error.kind !== 'transient') return undefined;
  const stated = error.detail['retryAfterMs'];
  const waitMs = typeof stated === 'number' ? stated : jitteredMs(failures);
  return waitMs > modelRetryWaitMsMax ? undefined : waitMs;
}

/** Full jitter: the waits of many turns that fail at once are spread over the whole time. */
function jitteredMs(failures: number): number {
  return Math.random() * modelRetryWaitMs * 2 ** failures;
}
