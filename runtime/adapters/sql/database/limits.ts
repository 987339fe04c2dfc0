/** Every limit of the SQL store, with its unit. */

/** Connections of one process to Postgres. */
export const connectionsMax = 10;
export const connectDeadlineMs = 10_000;
/** A statement that takes longer is given up by the database. */
export const statementDeadlineMs = 30_000;
/** Of a script, which may rewrite a log of any size, or wait for another process that does. */
export const scriptDeadlineMs = 24 * 60 * 60 * 1000;

/** A sweep that finds the same conversation again waits twice as long, up to this many doublings. */
export const backOffDoublingsMax = 6;

/** Words of one query that are looked for. */
export const queryWordsMax = 24;
/** Snippets that the words of one query may retrieve for ranking; commoner words only rank. */
export const candidatesMax = 10_000;
/** Where every word is commoner than that: the newest snippets that are looked at instead. */
export const recentSnippetsMax = 2_000;
/** Snippets that each ranking may bring into the fusion. */
export const rankedSnippetsMax = 100;
/** Vectors of one user that are compared by signs: all of about 50,000, and 120,000 of a million. */
export const nearLookedMin = 10_000;
export const nearLookedPerCentre = 40;
/** Those of them that are compared exactly, and how near (cosine) one must be to be found by its meaning. */
export const nearCandidatesMax = 500;
export const nearnessMin = 0.2;
/** What a page of turns shows of each: snippets, and characters of one. */
export const shownSnippetsMax = 12;
export const shownSnippetChars = 2_000;
/** Ids before its position that a projection looks at again. */
export const projectionLookBack = 1_000;
/** Snippets up to which an index over their vectors may still be made while the program runs. */
export const indexBuildSnippetsMax = 50_000;

/** What one step removes of an erased conversation: words of a snippet are looked up one by one, so of these fewer. */
export const snippetsRemovedMax = 100;
export const blocksRemovedMax = 500;

/** Values that are over and that one write removes, and keys that are listed at a time. */
export const overValuesRemovedMax = 100;
export const keysPageMax = 500;

/** How often the holder of a data directory says that it lives, and after what silence it is taken for dead. */
export const lockBeatMs = 2_000;
export const lockSilenceMsMax = 10_000;
