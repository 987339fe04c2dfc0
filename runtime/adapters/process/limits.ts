/** Bytes of the sandbox information that bwrap writes. */
export const infoBytesMax = 4_096;

export const mountsMsMax = 10_000;

/** Interval between clean-ups after dead workers. */
export const reapEveryMs = 60_000;

/** Size of the read buffer that each program's stream reuses. */
export const streamReadBytes = 256 * 1024;
