export const pingMsMax = 3_000;
/** Time limit of a scan: a base, plus time for the file's bytes. */
export const scanMsMax = 30_000;
export const scanBytesPerMs = 2_000;
/** Bytes sent to the scanner per chunk. */
export const scanChunkBytes = 256 * 1024;
/** Bytes of a scanner's answer. */
export const scanAnswerBytesMax = 4_096;
