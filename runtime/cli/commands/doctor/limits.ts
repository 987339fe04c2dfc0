/** Output tokens of one probe of a model: enough for a model that reasons first. */
export const probeOutputTokens = 2_000;
/** Characters of a reply that a finding quotes. */
export const probeQuoteChars = 100;
