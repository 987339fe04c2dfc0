/** Delay before a worker process that ended is started again, doubled with each consecutive failure. */
export const workerRestartMs = 250;
export const workerRestartMsMax = 30_000;
/** A worker process that ran this long resets the count of consecutive failures. */
export const workerSteadyMs = 60_000;
/** Time for a worker process to become ready. */
export const workerStartMsMax = 300_000;
/** Time for a command that runs beside the server to end, before it is killed, and how much of its log is kept. */
export const commandStopMsMax = 20_000;
export const commandLogCharsMax = 4_000;
/** Time for a worker process to hand its conversations over and end, before it is killed. */
export const workerStopMsMax = 30_000;
