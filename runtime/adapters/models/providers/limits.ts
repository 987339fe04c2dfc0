/** Retries of a request before any part of the reply has arrived. */
export const modelRetriesMax = 2;
/** Longest wait before the first retry, doubled for each further one, unless the provider states a wait. */
export const modelRetryWaitMs = 500;
/** If the provider asks for a longer wait, the request fails at once. */
export const modelRetryWaitMsMax = 20_000;
/** Time limit until the provider starts to answer. */
export const modelFirstByteMsMax = 600_000;
/** Time from the last event of a provider's stream to the end of its body, after which the connection is closed. */
export const streamEndMsMax = 20;
/** Characters of one event of a provider's stream. */
export const serverEventCharsMax = 16_000_000;
/** Time limit for an answer of the embedder. */
export const embeddingMsMax = 60_000;
/** Characters of a provider's error text in a fault. */
export const providerErrorChars = 500;
/** Characters that are read of JSON in place of a stream. */
export const unstreamedCharsMax = 100_000;
/** Cache marks of a request, besides the one on the system text. */
export const cacheMarksMax = 3;
/** After a failure, requests go to the fallback model for this time. */
export const modelRestMs = 60_000;
/** A model that its reader stopped after this time without an event has failed. */
export const modelSilentMs = 20_000;
/** JSON values in what a provider attaches to one call or one piece of reasoning. */
export const carryValuesMax = 1_000;
