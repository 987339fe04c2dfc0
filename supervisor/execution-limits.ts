/** Between asking a program to stop and killing it. */
export const stopGraceMs = 400;

/** How long the calls of a program wait for each other on their way to whoever follows it. */
export const gatherMs = 5;

/** How long the check of a sandbox may run in it. */
export const checkMsMax = 10_000;

/** Files that a program may ask for while it runs: bytes of one, bytes and number of all, and how many are on their way at a time. */
export const mountedFileBytesMax = 1024 ** 3;
export const mountedBytesMax = 2 * 1024 ** 3;
export const mountedFilesMax = 500;
export const mountsInFlightMax = 4;

/** Bytes of the name under which one of them is found: file systems know no longer ones than 255. */
export const mountedNameBytesMax = 200;
