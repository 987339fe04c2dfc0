export const hideReplacementCharsMax = 4_000;

/** How many pages a knowledge search shows by default, and at most. */
export const knowledgeHitsDefault = 5;
export const knowledgeHitsMax = 20;
export const knowledgeQueryCharsMax = 500;
/** Characters of the summary of each page. */
export const knowledgeSummaryChars = 300;
