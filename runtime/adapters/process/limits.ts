/** Executions at the same time in one process; each has a host uid of its own where that is possible. */
export const slotsMax = 64;

/** How long bwrap may take to say which process it made. */
export const spawnMsMax = 10_000;

/** Bytes of what bwrap says about the sandbox. */
export const infoBytesMax = 4_096;

/** Processes and threads an interpreter needs before the program has any. */
export const ownTasks = 16;
