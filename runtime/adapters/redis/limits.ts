/** Every limit of the Redis bus, with its unit. */

/** Batches kept of one conversation; Redis may keep a few more, it cuts whole nodes. */
export const batchesMax = 10_000;
/** A buffer that nobody added to for that long is gone. */
export const bufferAgeMsMax = 24 * 3_600_000;
/** Redis that does not answer a command in this time is as good as lost. */
export const commandDeadlineMs = 5_000;
/** Opening waits that long for the first connection, then goes on without it. */
export const connectDeadlineMs = 5_000;
/** The pause between attempts to reconnect doubles up to this. */
export const reconnectPauseMsMax = 2_000;
/** Batches on their way to Redis; when it does not keep up, further ones are dropped. */
export const sendingMax = 10_000;
