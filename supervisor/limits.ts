/** From opening a sandbox to the executor's hello. */
export const readyMsMax = 20_000;

/** Between asking a program to stop and killing it. */
export const stopGraceMs = 400;

/** Collecting files after the program has ended, whoever cancelled it. */
export const collectMsMax = 60_000;

/** Characters of each output stream that are kept and passed on; the rest is drained and dropped. */
export const outputCharsMax = 1024 * 1024;

/** Characters of output at the end of a report and of an envelope. */
export const outputTailChars = 4_000;

/** The same for a program without a contract, whose output is its result. */
export const outputResultChars = 16_000;

export const contractItemsMax = 64;

/** Characters of a call's input kept by the journal. */
export const journalInputCharsMax = 2_000;

export const openFilesMax = 512;

/** MiB of /tmp and of /dev/shm in a sandbox. */
export const scratchMb = 64;

/** Executions at the same time on one machine; each has a host user of its own. */
export const slotsMax = 64;

/** Processes and threads an interpreter needs before the program has any. */
export const ownTasks = 16;
