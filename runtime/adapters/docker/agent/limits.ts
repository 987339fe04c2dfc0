/** Megabytes of /tmp and of /dev/shm of an agent program. */
export const agentTemporaryMb = 512;
/** Open files of one process. */
export const agentOpenFilesMax = 4_096;
/** Time between the request to end and the end by force. */
export const agentStopMsMax = 3_000;
/** Bytes of its error output that are kept: the last ones. */
export const agentErrorBytesMax = 8_192;
/** The container of an owner that cannot be asked is an orphan after this time. */
export const agentLifeMsMax = 48 * 60 * 60 * 1000;
