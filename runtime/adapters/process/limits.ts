/** Bytes of the sandbox information that bwrap writes. */
export const infoBytesMax = 4_096;

/** How long the helper may take for one request, and how long it stays without any. */
export const helperMsMax = 10_000;
export const helperIdleMs = 60_000;

/** Interval between clean-ups after dead workers. */
export const reapEveryMs = 60_000;

/** Size of the read buffer that each program's stream reuses. */
export const streamReadBytes = 256 * 1024;
