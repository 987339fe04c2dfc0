/** Memory of one supervisor; it holds calls in flight, not files. */
export const supervisorMb = 256;
export const supervisorTasks = 64;

/** The same where it shares a container with the program: what a program may take beyond its own limits, while its supervisor does not. */
export const combinedExtraMb = 128;
export const combinedExtraTasks = 16;

/** Of the machine, for a kernel that stands between it and a program: its own, and for each that the program may have. */
export const kernelTasks = 128;
export const kernelTasksEach = 8;

/** Between the end of an executor that has lost its supervisor and the engine's word that it has. */
export const supervisorEndMsMax = 5_000;

/** Of the mark by which the words of a guard are known. */
export const markBytes = 16;

/** Between telling a guard to end its program and ending the container, with everything that was written. */
export const guardMsMax = 10_000;

/** What is left past its deadline by this much belongs to nobody. */
export const orphanGraceMs = 120_000;
export const reapEveryMs = 60_000;

/** How long building one image may take. */
export const buildMsMax = 180_000;
