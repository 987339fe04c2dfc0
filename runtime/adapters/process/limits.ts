/** Bytes of what bwrap says about the sandbox. */
export const infoBytesMax = 4_096;

export const mountsMsMax = 10_000;
