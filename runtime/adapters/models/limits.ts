/** Requests a scripted model remembers; the oldest go first. */
export const scriptedRequestsMax = 500;
/** Conversations whose place in a script is remembered; the oldest go first. */
export const scriptedConversationsMax = 2_000;
/** How much of the request a mismatch shows, from its end. */
export const mismatchShownChars = 400;
/** Characters in one chunk of a scripted stream, unless the script says otherwise. */
export const scriptedChunkChars = 24;
export const scriptedChunkCharsMax = 100_000;
export const scriptedDelayMsMax = 60_000;
export const scriptedRepliesMax = 1_000;
/** What an image or a document counts for in the usage of a scripted model: that of a large image. */
export const scriptedBinaryTokens = 1_600;

/** Further attempts at a request of which nothing came back yet. */
export const modelRetriesMax = 2;
/** Wait before the first further attempt, doubled for each after it, unless the provider names another. */
export const modelRetryWaitMs = 500;
/** A provider that wants a longer wait is told to the caller at once. */
export const modelRetryWaitMsMax = 20_000;
/** Until the provider begins to answer. */
export const modelFirstByteMsMax = 600_000;
/** Until an embedder has answered. */
export const embeddingMsMax = 60_000;
/** Of a provider's error text in a fault. */
export const providerErrorChars = 500;
/** Cache marks a request may carry beside the one on the system text. */
export const cacheMarksMax = 3;
