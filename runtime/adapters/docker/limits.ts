/** Memory of one supervisor; it holds calls in flight, not files. */
export const supervisorMb = 256;
export const supervisorTasks = 64;

/** What is left past its deadline by this much belongs to nobody. */
export const orphanGraceMs = 120_000;
export const reapEveryMs = 60_000;

/** How long building one image may take. */
export const buildMsMax = 180_000;
