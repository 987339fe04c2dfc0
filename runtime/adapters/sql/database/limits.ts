/** Every limit of the SQL store, with its unit. */

/** Connections of one process to Postgres. */
export const connectionsMax = 10;
/** Further connections for statements that must not wait behind others. */
export const reservedConnectionsMax = 2;
export const connectDeadlineMs = 10_000;
/** The database cancels a statement that takes longer. */
export const statementDeadlineMs = 30_000;
/** Time limit of a script, which may rewrite a log of any size, or wait for another process that does. */
export const scriptDeadlineMs = 24 * 60 * 60 * 1000;
/** How long one attempt of a migration waits for a lock that another session holds, and how many attempts it makes. */
export const migrationLockWaitMs = 5_000;
export const migrationLockTriesMax = 12;

/** The delay before a sweep returns to the same conversation doubles, up to this many times. */
export const backOffDoublingsMax = 6;

/** Words of one query that are searched for. */
export const queryWordsMax = 24;
/** Snippets that the words of one query may retrieve for ranking; more common words only affect the rank. */
export const candidatesMax = 10_000;
/** If every word is more common than that, this many of the newest snippets are searched instead. */
export const recentSnippetsMax = 2_000;
/** Snippets that each ranking contributes to the fused result. */
export const rankedSnippetsMax = 100;
/** Letters that a list searches for in messages; fewer are searched for in titles only. */
export const listWordCharsMin = 3;
/** Snippets whose conversations a list considers. */
export const listSnippetsMax = 2_000;
/** Vectors of one user that are compared by their signs: all of about 50,000, and 120,000 of a million. */
export const nearLookedMin = 10_000;
export const nearLookedPerCentre = 40;
/** How many of them are compared exactly, and the minimum cosine similarity of a result. */
export const nearCandidatesMax = 500;
export const nearnessMin = 0.2;
/** Snippets per turn on a page of turns, and characters per snippet. */
export const shownSnippetsMax = 12;
export const shownSnippetChars = 2_000;
/** Ids before its position that a projection checks again. */
export const projectionLookBack = 1_000;
/**
 * With pgvector, up to this many vectors of a user or conversation are all compared; beyond that, its index finds them. It
 * is created when a space has more: keeping it costs 1 ms for each vector, and up to 50 ms in the embedded Postgres.
 */
export const nearExactMax = 10_000;
/** Components of a vector that pgvector compares. */
export const vectorComponentsMax = 16_000;
/** Vectors that one statement moves into the index, while writers of vectors wait, and the time limit of one step. */
export const placedVectorsMax = 10;
export const placingMsMax = 1_000;

/** What one step removes of an erased conversation. Fewer snippets than blocks: their words are looked up one by one. */
export const snippetsRemovedMax = 100;
export const blocksRemovedMax = 500;
/** What one step removes of the values of an erased user. */
export const valuesRemovedMax = 500;

/** Expired values that one write removes, and keys per list page. */
export const overValuesRemovedMax = 100;
export const keysPageMax = 500;

/** Heartbeat interval of the holder of a data directory, and the silence after which it counts as dead. */
export const lockBeatMs = 2_000;
export const lockSilenceMsMax = 10_000;
