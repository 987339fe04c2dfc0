/** Every limit of the frame files, with its unit. */

/** A conversation's file is cut to its newest turns when it grows beyond this. */
export const frameFileBytesMax = 4 * 1024 * 1024;
/** What is kept of a file that is cut. */
export const frameFileBytesKept = 2 * 1024 * 1024;
/** Frames that wait for the disk; when it does not keep up, the oldest of them are dropped. */
export const waitingBytesMax = 8 * 1024 * 1024;
/** A file that nobody wrote to for that long is removed when the bus opens. */
export const frameFileAgeMsMax = 7 * 24 * 3_600_000;
