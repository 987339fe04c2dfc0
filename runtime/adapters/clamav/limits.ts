export const pingMsMax = 3_000;
/** For the scan of one file, and for its bytes besides. */
export const scanMsMax = 30_000;
export const scanBytesPerMs = 2_000;
/** Bytes that are handed to the scanner at a time. */
export const scanChunkBytes = 256 * 1024;
/** Characters of its answer. */
export const scanAnswerCharsMax = 4_096;
