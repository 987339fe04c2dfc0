/** For the whole scan of one file. */
export const scanMsMax = 30_000;
/** Bytes that are handed to the scanner at a time. */
export const scanChunkBytes = 256 * 1024;
/** Characters of its answer. */
export const scanAnswerCharsMax = 4_096;
