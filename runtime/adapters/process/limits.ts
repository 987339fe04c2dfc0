/** Bytes of what bwrap says about the sandbox. */
export const infoBytesMax = 4_096;

export const mountsMsMax = 10_000;

/** Between two looks for what dead workers left. */
export const reapEveryMs = 60_000;

/** Memory of each program's stream that is read into again and again. */
export const streamReadBytes = 256 * 1024;
