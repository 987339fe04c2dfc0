/** Blocks of one read in the search for the beginning of an open turn. */
export const blocksSoughtAtOnce = 1_000;
/** Characters of the prompt that `turn.open` repeats. */
export const openTextCharsMax = 4_000;
/** Events that one bundle sends to one conversation. */
export const bundleEventsPerMinuteMax = 600;
/** Characters of the key, and of the title, of a conversation that a bundle opens. */
export const bundleKeyCharsMax = 400;
export const titleCharsMax = 200;
export const messagesPerMinuteMax = 60;
/** Blocks of one read, and in total, in the search for an event to withdraw. */
export const recallPageMax = 1_000;
export const recallBlocksMax = 50_000;
/** Characters of the text of feedback. */
export const feedbackCharsMax = 1_000;
/** Blocks per read of a log in which a task is looked for, and characters of its result in the text of its event. */
export const taskPageBlocks = 1_000;
export const taskTextCharsMax = 4_000;
/** How long the end of a task waits for the running call that defers it, and how often it looks. */
export const taskWaitMsMax = 10_000;
export const taskPollMs = 100;
