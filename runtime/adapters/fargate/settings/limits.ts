/** Bytes of all container overrides of one RunTask as JSON; the service refuses more. */
export const overridesBytesMax = 8_192;
/** Bytes of a secret's value; the service refuses more. Whatever grows with a program goes through the bucket. */
export const payloadBytesMax = 65_536;

/** MiB of supervisor and keeper, as the stack gives them to these. */
export const sidecarMb = 512 + 128;

/** From asking for a task to the first word of its supervisor: capacity, image, interpreter. */
export const launchMsMax = 180_000;
/** Tries of one request, the first included; the client waits longer before each. */
export const attemptsMax = 5;
/** To a connection, and of silence on an open one; then it is tried again. */
export const connectMsMax = 5_000;
export const silenceMsMax = 30_000;
/** Tries to get a task while the cluster has no capacity. */
export const capacityTriesMax = 5;
export const capacityWaitMs = 1_000;

/** Waits between two looks at a task: soon when something is expected of it, else seldom. */
export const pollFastMs = 200;
export const pollSlowMs = 5_000;
/** Looks in a row that may fail, each tried so often before, until the task counts as lost. */
export const pollFailuresMax = 5;
/** After its executor has ended: how long a task may take to say its first word. */
export const readyGraceMs = 1_000;
/** How long a stopped task may take to be gone before its traces are removed all the same. */
export const stopMsMax = 60_000;

/** Waits between two looks for the next letter: short after one has come, longer while none does. */
export const batchPollMsMin = 15;
export const batchPollMsMax = 400;
/** Bytes of text in one letter; what would be more goes into the next. */
export const batchBytesMax = 4 * 1_024 * 1_024;
/** Bytes of a stream in one message. */
export const chunkBytesMax = 1_024 * 1_024;

/** What a pipe of Linux holds, and how long more is waited for where it held little. */
export const pipeBytesMax = 65_536;
export const gatherMs = 5;

/** Between two measurements of what a program has written. */
export const quotaCheckEveryMs = 250;
/** Processes and threads of the keeper, which the kernel counts as the program's: they have the same user. */
export const keeperTasks = 16;

/** After being asked to seal, how long the program may take to end by itself. */
export const sealGraceMs = 1_500;
/** From asking for what a program has left until it must be in the bucket. */
export const sealMsMax = 60_000;

/** A sign of life tells this far ahead, and is renewed this often. */
export const heartbeatTtlMs = 90_000;
export const heartbeatEveryMs = 30_000;
/** What is left past its deadline, or its owner's last sign, by this much belongs to nobody: clocks differ, and so do paces. */
export const orphanGraceMs = 120_000;
export const reapEveryMs = 300_000;
/** Executions of which the remains are removed at the same time. */
export const reapConcurrencyMax = 10;
/** Keys or tasks taken from one list at a time. */
export const listedMax = 100;
