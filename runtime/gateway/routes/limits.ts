/** Requests without identity to public operations under way at once, and how long a request body may take. */
export const publicInFlightMax = 64;
export const bodyDeadlineMs = 30_000;
/** Operations of all bundles under way at once, those that do not end when they are stopped among them. */
export const operationsInFlightMax = 128;
export const feedbackPerMinuteMax = 60;
/** Characters of what a user says of an answer. */
export const feedbackCharsMax = 1_000;
/** Turns of one answer of `turns-with-feedbacks`: the newest; and how far back it may look. */
export const feedbackTurnsMax = 200;
export const feedbackDaysMax = 3_650;
/** Conversations of one page of `conversations-in-period`. */
export const feedbackConversationsMax = 500;
/** Characters of the key, and of the title, of a conversation that a bundle opens. */
export const forksPerMinuteMax = 60;
/** Characters of a token in a cookie: browsers drop one that is larger than 4,096 with its name. */
export const cookieCharsMax = 3_800;
/** Conversations of one listing. */
export const conversationsMax = 200;
/** Blocks of one answer of `fetch`. */
export const fetchBlocksMax = 1_000;
/** How long a browser may remember that pages of another origin may ask. */
export const healthDeadlineMs = 2_000;
export const keepAliveMs = 15_000;
