/** Bytes of one long-polling request: every other byte may be a packet. */
export const pollBytesMax = 1024 * 1024;
export const subscriptionsPerSocketMax = 32;
/** Packets queued for one connection and not sent yet. */
export const packetsWaitingMax = 128;
/** Interval between two notices that the list of conversations has changed. */
export const listChangeMs = 250;
