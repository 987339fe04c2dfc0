/** UTF-16 units of one fact, facts of one call, and of one answer. */
export const recordedFactCharsMax = 1_000;
export const recordedFactsMax = 10;
export const retrievedFactsMax = 10;
export const retrievedFactsDefault = 5;
export const memoryQueryCharsMax = 2_000;
