/** Memory of one supervisor; it holds calls in flight, not files. */
export const supervisorMb = 256;
export const supervisorTasks = 64;

/** The supervisor's share in a combined container. The program can use it beyond its own limits while the supervisor does not need it. */
export const combinedExtraMb = 128;
export const combinedExtraTasks = 16;

/** Host tasks for gVisor: its own, and for each task that the program may have. On a busy machine 54 took up to 573. */
export const kernelTasks = 128;
export const kernelTasksEach = 32;

/** How long the engine may take to report the supervisor's end after its executor has ended. */
export const supervisorEndMsMax = 5_000;

/** Length of the mark that precedes a guard's report. */
export const markBytes = 16;

/** How long a guard may take to end its program before the container is killed and its files are lost. */
export const guardMsMax = 10_000;

/** Resources are orphans this long after their deadline. */
export const orphanGraceMs = 120_000;
export const reapEveryMs = 60_000;

/** Time limit for building one image. */
export const buildMsMax = 180_000;
