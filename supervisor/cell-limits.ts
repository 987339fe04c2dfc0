export const openFilesMax = 512;

/** MiB of /tmp and of /dev/shm in a sandbox. */
export const scratchMb = 64;

/** Files and directories of a program in each place it can write to. */
export const inodesMax = 20_000;

/** Executions at the same time on one machine; each has a host user of its own. */
export const slotsMax = 256;

/** Processes and threads an interpreter needs before the program has any. */
export const ownTasks = 16;

/** MiB a program must have for libraries to be loaded before it comes: they take 70 of them. */
export const loadingMemoryMbMin = 256;
