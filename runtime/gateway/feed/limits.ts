/** Blocks that are searched to find where the last turns begin. */
export const tailBlocksMax = 20_000;
/** Blocks of one read for a subscription. */
export const feedPageMax = 200;
/** Blocks from the end in which the last one that clients are sent is looked for first; then in as many as one read has. */
export const lastBlocksFirst = 8;
/** Frames waiting for one slow subscription; beyond this it reads from the buffer of the bus again. */
export const feedFramesMax = 2_000;
/** Poll interval of a subscription, in case the bus loses a note; those that begin in the same part of it are polled together. */
export const feedPollMs = 10_000;
export const feedPollParts = 10;
/** Conversations of one poll of the store. */
export const polledHeadsMax = 1_000;
export const feedRetryMs = 1_000;
/** Characters of JSON of a tool's input or result on the wire; longer values are sent as a preview. */
export const wireJsonCharsMax = 12_000;
export const wirePreviewCharsMax = 2_000;
/** Sources looked up for the links of one answer. */
export const sourcesPerAnswerMax = 100;
