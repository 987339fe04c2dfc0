/** Bytes of what bwrap says about the sandbox. */
export const infoBytesMax = 4_096;

export const mountsMsMax = 10_000;

/** Between two looks for what dead workers left. */
export const reapEveryMs = 60_000;
