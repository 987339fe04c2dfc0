/** Bytes of one long-polling request: it may hold a packet in every other byte. */
export const pollBytesMax = 1024 * 1024;
export const subscriptionsPerSocketMax = 32;
/** Packets handed to one connection and not yet on their way. */
export const packetsWaitingMax = 128;
