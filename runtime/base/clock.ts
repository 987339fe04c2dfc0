/** Wall time is for people and models; monotonic time is for deadlines. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start that never goes back. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, options: { signal: AbortSignal }): Promise<void>;
}
