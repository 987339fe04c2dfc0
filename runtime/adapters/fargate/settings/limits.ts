/** Bytes of all container overrides of one RunTask as JSON; the service refuses more. */
export const overridesBytesMax = 8_192;
/** Bytes of a secret's value; the service refuses more. Data that grows with the program goes through the bucket. */
export const payloadBytesMax = 65_536;

/** MiB of supervisor and keeper, as the deployed stack sets them. */
export const sidecarMb = 512 + 128;

/** From requesting a task to its supervisor's first message: capacity, image, interpreter. */
export const launchMsMax = 180_000;
/** Attempts of one request, including the first; the client waits longer before each. */
export const attemptsMax = 5;
/** Time to connect, and silence on an open connection, before a retry. */
export const connectMsMax = 5_000;
export const silenceMsMax = 30_000;
/** Attempts to start a task while the cluster has no capacity. */
export const capacityTriesMax = 5;
export const capacityWaitMs = 1_000;

/** Poll intervals for a task: fast when a change is expected, slow otherwise. */
export const pollFastMs = 200;
export const pollSlowMs = 5_000;
/** Consecutive failed polls, each with its own retries, after which a task counts as lost. */
export const pollFailuresMax = 5;
/** How long a task may still take to send its first message after its executor has ended. */
export const readyGraceMs = 1_000;
/** How long a stopped task may take to end before its resources are removed anyway. */
export const stopMsMax = 60_000;

/** Poll interval for the next message batch: short after one has arrived, longer while none does. */
export const batchPollMsMin = 15;
export const batchPollMsMax = 400;
/** Bytes of text in one message batch; further messages go into the next. */
export const batchBytesMax = 4 * 1_024 * 1_024;
/** Bytes of a stream in one message. */
export const chunkBytesMax = 1_024 * 1_024;

/** Capacity of a Linux pipe, and how long a reader waits for more after a short read. */
export const pipeBytesMax = 65_536;
export const gatherMs = 5;

/** Interval between disk quota checks. */
export const quotaCheckEveryMs = 250;
/** What a program may exceed its quota by before it is ended, at least: blocks and folders are not counted as they are written. */
export const blockSlackMb = 16;
/** Processes and threads of the keeper and of PID 1. The kernel counts them with the program's: they have the same user. */
export const keeperTasks = 18;

/** How long the program may take to end on its own after a seal request. */
export const sealGraceMs = 1_500;
/** From the seal request until the files must be in the bucket. */
export const sealMsMax = 60_000;

/** How long a heartbeat is valid, and how often it is renewed. */
export const heartbeatTtlMs = 90_000;
export const heartbeatEveryMs = 30_000;
/** Resources are orphans this long after their deadline or their owner's last heartbeat: clocks and speeds differ. */
export const orphanGraceMs = 120_000;
export const reapEveryMs = 300_000;
/** Executions whose resources are removed at the same time. */
export const reapConcurrencyMax = 10;
/** Keys or tasks per list request. */
export const listedMax = 100;
