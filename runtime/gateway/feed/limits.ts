/** Blocks that are looked through to find where the last turns begin. */
export const tailBlocksMax = 20_000;
/** Blocks read at once for a subscription. */
export const feedPageMax = 200;
/** Frames waiting for one slow subscription; more, and it goes back to the bus buffer. */
export const feedFramesMax = 2_000;
/** How often a subscription looks into the store without being told to, should the bus have lost a note. */
export const feedPollMs = 10_000;
export const feedRetryMs = 1_000;
/** Characters of JSON that a tool's input or result may have on the wire; more is previewed. */
export const wireJsonCharsMax = 12_000;
export const wirePreviewCharsMax = 2_000;
/** Sources looked up for the links of one answer. */
export const sourcesPerAnswerMax = 100;
