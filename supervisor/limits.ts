import { executionDeadlineMs } from '../runtime/tools/exec/limits.ts';

/** From a sandbox that is open to the executor's hello; a container on a machine with fifteen times its load took 21 s. */
export const readyMsMax = 60_000;

/** Between asking a program to stop and killing it. */
export const stopGraceMs = 400;

/** Collecting files after the program has ended, whoever cancelled it. */
export const collectMsMax = 60_000;

/** Characters of each output stream that are kept and passed on; the rest is drained and dropped. */
export const outputCharsMax = 1024 * 1024;

/** Characters of its end that are at hand whatever was dropped before; no report shows more. */
export const outputEndChars = 32_000;

/** How long the calls of a program wait for each other on their way to whoever follows it. */
export const gatherMs = 5;

/** Characters of output at the end of a report and of an envelope. */
export const outputTailChars = 4_000;

/** The same for a program without a contract, whose output is its result. */
export const outputResultChars = 16_000;

export const contractItemsMax = 64;

/** Characters of the beginning of a delivered file that are kept with it, and of all files of a run together. */
export const previewCharsMax = 8_000;
export const previewsCharsMax = 32_000;

/** What of them a report shows, line numbers included: of one file, and of all together. */
export const reportPreviewChars = 1_200;
export const reportPreviewsChars = 4_800;

/** Files that a program left and nobody asked for: how many of a folder are found, how many names are looked at, and how deep. */
export const unaskedFilesMax = 600;
export const unaskedSeenMax = 2_000;
export const unaskedDepthMax = 8;
/** Of those that are not kept, how many a result names, and how many of either kind a report. */
export const leftFilesMax = 100;
export const leftToldMax = 20;

/** Files that a program adds to its workspace without being asked; what it had there is kept beside them. */
export const keptFilesMax = 50;

/** Bytes up to which a file is held in memory to see whether it is as it was given; a larger one is stored again. */
export const comparedBytesMax = 8 * 1024 * 1024;

export const openFilesMax = 512;

/** MiB of /tmp and of /dev/shm in a sandbox. */
export const scratchMb = 64;

/** Files and directories of a program in each place it can write to. */
export const inodesMax = 20_000;

/** Executions at the same time on one machine; each has a host user of its own. */
export const slotsMax = 256;

/** Processes and threads an interpreter needs before the program has any. */
export const ownTasks = 16;

/** MiB a program must have for libraries to be loaded before it comes: they take 70 of them. */
export const loadingMemoryMbMin = 256;

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

/** How long the check of a sandbox may run in it. */
export const checkMsMax = 10_000;

/** Files that a program may ask for while it runs: bytes of one, bytes and number of all, and how many are on their way at a time. */
export const handedFileBytesMax = 1024 ** 3;
export const handedBytesMax = 2 * 1024 ** 3;
export const handedFilesMax = 500;
export const handingMax = 4;

/** Bytes of the name under which one of them is found: file systems know no longer ones than 255. */
export const handedNameBytesMax = 200;
