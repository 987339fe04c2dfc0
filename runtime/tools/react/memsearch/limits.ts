export const memsearchQueryCharsMax = 256;
export const memsearchHitsDefault = 5;
export const memsearchHitsMax = 20;
export const memsearchSnippetChars = 500;
export const memsearchSnippetsPerTurn = 4;
/** Snippets beyond the wanted turns that a search asks for. */
export const memsearchSurplus = 10;
/** Turns of one conversation before those of others have their turn. */
export const memsearchHitsPerConversation = 2;
/** How far back a search by words looks unless it is told otherwise, and how far anything may. */
export const memsearchSearchDays = 365;
export const memsearchDaysMax = 3_650;
export const memsearchOrdinalMax = 1_000_000;
