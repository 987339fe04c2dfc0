import { executionDeadlineMs } from '../../runtime/tools/exec/limits.ts';

/** From an open sandbox to the handshake of its executor; a container on a machine with fifteen times its load took 21 s. */
export const readyMsMax = 60_000;

/** Characters of error output that are quoted for an executor that could not start. */
export const failureCharsMax = 2_000;

/** Executors starting at the same time. */
export const openingMax = 4;

/** Delay between taking a waiting executor and starting its replacement, which would compete for processors with the program that begins. */
export const refillMs = 30;

/** Kinds of programs with waiting executors at the same time. */
export const kindsMax = 8;

/** Waiting executors of a kind are closed when the kind has not been requested for this long. */
export const kindIdleMs = 300_000;

/** How long an executor waits before a new one replaces it. */
export const waitMsMax = 600_000;

/** From the start of an executor to the end of the longest program that it could run. */
export const cellLifeMsMax = waitMsMax + executionDeadlineMs;

/** How long an executor is kept for an announced program. */
export const expectedMsMax = 120_000;

export const poolSweepMs = 30_000;
