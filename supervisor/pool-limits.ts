import { executionDeadlineMs } from '../runtime/tools/exec/limits.ts';

/** From a sandbox that is open to the executor's hello; a container on a machine with fifteen times its load took 21 s. */
export const readyMsMax = 60_000;

/** Characters that an executor that could not start is quoted with. */
export const failureCharsMax = 2_000;

/** Executors starting at the same time. */
export const openingMax = 4;

/** From taking an executor that waited to starting another: it would take processors from the program that begins now. */
export const refillMs = 30;

/** Kinds of programs for which executors may wait at the same time. */
export const kindsMax = 8;

/** A kind that nobody has asked for this long needs no executors that wait. */
export const kindIdleMs = 300_000;

/** How long one executor waits before it is replaced by a new one. */
export const waitMsMax = 600_000;

/** From the start of an executor to the end of the longest program it could be given. */
export const cellLifeMsMax = waitMsMax + executionDeadlineMs;

/** How long an executor is held ready for a program that was announced. */
export const expectedMsMax = 120_000;

export const poolSweepMs = 30_000;
