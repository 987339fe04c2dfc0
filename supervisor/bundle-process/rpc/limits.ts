import { storageKeysMax } from '../../../runtime/sdk/contract/limits.ts';
import { retCharsMax } from '../../../runtime/tools/limits.ts';
import { callsInFlightMax as programCallsMax } from '../../protocol/limits.ts';

/** Calls of one bundle that are under way or wait for its process; one more is refused. */
export const callsInFlightMax = 2 * programCallsMax;
/** What one call may ask of the worker at the same time; the next waits in its own process. */
export const asksPerCallMax = 32;
/** What one process may ask at the same time; more breaks the protocol. */
export const asksInFlightMax = (callsInFlightMax + 1) * asksPerCallMax;
/** Progress, facts and pieces of pages that one call shows; the rest is dropped, with a notice. */
export const notificationsPerCallMax = 40_000;
/** Characters of one message as JSON: the largest result there may be, and what surrounds it. */
export const messageCharsMax = retCharsMax + 1_000_000;
/** Characters of a message in one frame. */
export const partCharsMax = 512 * 1024;
/** Bytes that wait to be read by the other side; beyond, nothing more is taken in or shown. */
export const backlogBytesMax = 64 * 1024 * 1024;
/** Bytes of a file in one message. */
export const chunkBytesMax = 256 * 1024;
/** Keys of one space that are listed. */
export const keysMax = storageKeysMax;

/** MiB of JavaScript values in a process of a bundle, and of all its memory. */
export const heapMbMax = 512;
export const residentMbMax = 1_024;
/** How often its memory is looked at. */
export const memoryCheckMs = 100;

/** From its start to the end of `onLoad`. */
export const startMsMax = 30_000;
/** How long a process may take to hear that a call is over; one that does not runs in a circle, and is killed. */
export const cancelAckMsMax = 1_000;
/** Calls that were stopped and go on all the same: at that many the process is replaced. */
export const strayCallsMax = 16;
/** How long a process that is replaced may finish its calls. */
export const drainMsMax = 900_000;
/** For `dispose` of the bundle and its resources. */
export const disposeMsMax = 10_000;
/** A process without calls and without turns this long is stopped. */
export const idleMsMax = 600_000;
/** Between the end of a process that failed and the next start, doubled with each failure in a row. */
export const restartMs = 250;
export const restartMsMax = 30_000;
/** A process that lived this long did not fail in a row. */
export const steadyMs = 60_000;

/** Characters of one line a bundle prints, and of all its lines within a minute, that go to the log. */
export const printedLineCharsMax = 2_000;
export const printedCharsPerMinuteMax = 256_000;
