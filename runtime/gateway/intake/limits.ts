/** Blocks that are read at once to find where an open turn began. */
export const blocksSoughtAtOnce = 1_000;
/** Characters of the prompt that `turn.open` repeats. */
export const openTextCharsMax = 4_000;
/** Events that one bundle sends to one conversation. */
export const bundleEventsPerMinuteMax = 600;
/** Characters of the key, and of the title, of a conversation that a bundle opens. */
export const bundleKeyCharsMax = 400;
export const titleCharsMax = 200;
export const messagesPerMinuteMax = 60;
/** Blocks read at once, and in all, to find an event that is taken back. */
export const recallPageMax = 1_000;
export const recallBlocksMax = 50_000;
