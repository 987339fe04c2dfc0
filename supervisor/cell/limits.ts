export const openFilesMax = 512;

/** MiB of /tmp and of /dev/shm in a sandbox. */
export const scratchMb = 64;

/** Files and directories in each place that a program can write to. */
export const inodesMax = 20_000;

/** Executions at the same time on one machine; each has its own host user ID. */
export const slotsMax = 256;

/** Processes and threads that an interpreter needs before the program starts any. */
export const interpreterTasks = 16;

/** MiB of memory from which libraries are preloaded: they take 70 of them. */
export const loadingMemoryMbMin = 256;
