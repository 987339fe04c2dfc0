/** Every limit of the frame files, with its unit. */

/** A conversation's file is cut to its newest turns when it grows beyond this. */
export const frameFileBytesMax = 4 * 1024 * 1024;
/** Bytes kept of a file that is cut. */
export const frameFileBytesKept = 2 * 1024 * 1024;
/** Bytes of frames that wait for the disk; if it is too slow, the oldest are dropped. */
export const waitingBytesMax = 8 * 1024 * 1024;
/** A file without writes for this long is removed when the bus opens. */
export const frameFileAgeMsMax = 7 * 24 * 3_600_000;
/** Files that stay open; beyond this, the one without writes for longest is closed. */
export const openFilesMax = 256;
