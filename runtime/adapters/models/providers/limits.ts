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
