/** Every limit of the Redis bus, with its unit. */

/** Frames kept per conversation. Redis may keep a few more, since it trims whole nodes. */
export const framesMax = 10_000;
/** Entries of the first page that is read of a buffer; each further page has twice as many, up to the larger number. */
export const readPageMin = 128;
export const readPageMax = 1_024;
/** A buffer without additions for this long expires. */
export const bufferAgeMsMax = 24 * 3_600_000;
/** The expiry is set again after this long, so that a buffer that Redis has lost expires too. */
export const expiryRenewMs = 60_000;
/** Conversations whose expiry is remembered. */
export const expiriesMax = 10_000;
/** If Redis does not answer a command within this time, the connection counts as lost. */
export const commandDeadlineMs = 5_000;
/** Opening waits this long for the first connection, then continues without it. */
export const connectDeadlineMs = 5_000;
/** The pause between attempts to reconnect doubles up to this. */
export const reconnectPauseMsMax = 2_000;
/** Batches waiting for Redis; if it is too slow, further ones are dropped. */
export const sendingMax = 10_000;
