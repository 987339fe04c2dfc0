/** Limits of the store socket: characters of a request, blocks of a reply, and time for a reply. */
export const socketRequestCharsMax = 16_384;
export const socketBlocksMax = 1_000;
export const socketAnswerMsMax = 60_000;
/** Maximum number of conversations that `timeline list` shows. */
export const conversationsShown = 200;
/** Maximum path length of a Unix socket on every platform. */
export const socketPathBytesMax = 103;
