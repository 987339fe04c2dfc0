export const memsearchQueryCharsMax = 256;
export const memsearchHitsDefault = 5;
export const memsearchHitsMax = 20;
export const memsearchSnippetChars = 500;
export const memsearchSnippetsPerTurn = 4;
/** How many more snippets than turns a search requests. */
export const memsearchSurplus = 10;
/** Hits of one conversation before those of other conversations are listed. */
export const memsearchHitsPerConversation = 2;
/** How many days back a search looks by default, and at most. */
export const memsearchSearchDays = 365;
export const memsearchDaysMax = 3_650;
export const memsearchOrdinalMax = 1_000_000;
