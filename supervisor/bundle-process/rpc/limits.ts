import { storageKeysMax } from '../../../runtime/sdk/contract/limits.ts';
import { retCharsMax } from '../../../runtime/tools/limits.ts';
import { callsInFlightMax as programCallsMax } from '../../protocol/limits.ts';

/** Calls of one bundle that are running or wait for its process; one more is refused. */
export const callsInFlightMax = 2 * programCallsMax;
/** Requests of one call to the worker at the same time; the next one waits in its own process. */
export const requestsPerCallMax = 32;
/** Requests of one process at the same time; more violate the protocol. */
export const requestsInFlightMax = (callsInFlightMax + 1) * requestsPerCallMax;
/** Notifications of one call (progress, facts, pieces of pages); the rest is dropped, with a notice. */
export const notificationsPerCallMax = 40_000;
/** Characters of one message as JSON: the largest allowed result and its envelope. */
export const messageCharsMax = retCharsMax + 1_000_000;
/** Characters of a message in one frame. */
export const partCharsMax = 512 * 1024;
/** Bytes that the other side has not read; at this number, reading and notifications stop. */
export const backlogBytesMax = 64 * 1024 * 1024;
/** Bytes of a file in one message. */
export const chunkBytesMax = 256 * 1024;
/** Keys of one space in a list. */
export const keysMax = storageKeysMax;

/** MiB of JavaScript values in the process of a bundle, and of all its memory. */
export const heapMbMax = 512;
export const residentMbMax = 1_024;
/** Interval of the memory check. */
export const memoryCheckMs = 100;

/** From its start to the end of `onLoad`. */
export const startMsMax = 30_000;
/** Time to acknowledge that a call was stopped; a process that does not is in an endless loop and is killed. */
export const cancelAckMsMax = 1_000;
/** Stopped calls that continue to run: at this number the process is replaced. */
export const strayCallsMax = 16;
/** Time for a replaced process to finish its calls. */
export const drainMsMax = 900_000;
/** Time for `dispose` of the bundle and its resources. */
export const disposeMsMax = 10_000;
/** A process is stopped after this long without calls and turns. */
export const idleMsMax = 600_000;
/** Delay between the end of a failed process and the next start, doubled with each consecutive failure. */
export const restartMs = 250;
export const restartMsMax = 30_000;
/** A process that ran this long resets the count of consecutive failures. */
export const steadyMs = 60_000;

/** Characters of one printed line, and of all lines within a minute, that go to the log. */
export const printedLineCharsMax = 2_000;
export const printedCharsPerMinuteMax = 256_000;
