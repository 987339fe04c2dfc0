/** Concurrent requests to public operations, and the time limit for reading a request body. */
export const publicInFlightMax = 64;
export const bodyDeadlineMs = 30_000;
/** Concurrent operations of all bundles, including those that do not end when they are stopped. */
export const operationsInFlightMax = 128;
export const feedbackPerMinuteMax = 60;
/** Turns in one response of `turns-with-feedbacks` (the newest), and how far back it may look. */
export const feedbackTurnsMax = 200;
export const feedbackDaysMax = 3_650;
/** Conversations of one page of `conversations-in-period`. */
export const feedbackConversationsMax = 500;
export const forksPerMinuteMax = 60;
/** Conversations of one list response. */
export const conversationsMax = 200;
/** Blocks of one `fetch` response. */
export const fetchBlocksMax = 1_000;
export const healthDeadlineMs = 2_000;
