export const hideReplacementCharsMax = 4_000;

/** Pages that a search of the knowledge shows, unless more are asked for, and at most. */
export const knowledgeHitsDefault = 5;
export const knowledgeHitsMax = 20;
export const knowledgeQueryCharsMax = 500;
/** Of the summary of each. */
export const knowledgeSummaryChars = 300;
