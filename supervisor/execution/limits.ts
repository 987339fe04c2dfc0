/** Delay between asking a program to stop and killing it. */
export const stopGraceMs = 400;

/** How long call events of a program are batched before its reader gets them. */
export const eventBatchMs = 5;

/** Time limit of the program of the self-test. */
export const selfTestMsMax = 10_000;

/** Files that a program can request while it runs: bytes of one, bytes and number of all, and copies at the same time. */
export const mountedFileBytesMax = 1024 ** 3;
export const mountedBytesMax = 2 * 1024 ** 3;
export const mountedFilesMax = 500;
export const mountsInFlightMax = 4;

/** Bytes of the name of a mounted file: file systems allow at most 255. */
export const mountedNameBytesMax = 200;
