/** A question through the door of a data directory: its JSON, the blocks of one answer, and how long one may take. */
export const socketRequestCharsMax = 16_384;
export const socketBlocksMax = 1_000;
export const socketAnswerMsMax = 60_000;
/** Conversations that `timeline list` shows: the latest. */
export const conversationsShown = 200;
/** Of the path of a Unix socket, everywhere. */
export const socketPathBytesMax = 103;
