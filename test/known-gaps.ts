export type Gap = {
  /** The promise that is not kept yet. */
  readonly id: string;
  readonly why: string;
  /** Holds the program to the promise; throws as long as the gap is there. */
  check(): Promise<void>;
};

/** What is promised and not there. Run as tests that must fail, so that a closed gap is noticed and leaves this list. */
export const knownGaps: readonly Gap[] = [];
