/** Megabytes of /tmp and /dev/shm of an agent program. */
export const agentTemporaryMb = 512;
/** Time between the request to end and the end by force. */
export const agentStopMsMax = 3_000;
/** Bytes of its error output that are kept: the last ones. */
export const agentErrorBytesMax = 8_192;
/** Open files of one process. */
export const agentOpenFilesMax = 4_096;
/** How often the removal of a limit group is tried, and the time in between. */
export const groupTriesMax = 100;
export const groupRetryMs = 20;
