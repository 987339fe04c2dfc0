/** Every limit of the SQL store, with its unit. */

/** Connections of one process to Postgres. */
export const connectionsMax = 10;
export const connectDeadlineMs = 10_000;
/** A statement that takes longer is given up by the database. */
export const statementDeadlineMs = 30_000;

/** A sweep that finds the same conversation again waits twice as long, up to this many doublings. */
export const backOffDoublingsMax = 6;

/** Newest snippets of a sender that are compared by trigrams, and how alike they must be (0 to 1). */
export const similarSnippetsMax = 400;
export const similarityMin = 0.4;
/** Snippets that each ranking may bring into the fusion. */
export const rankedSnippetsMax = 100;

/** How often the holder of a data directory says that it lives, and after what silence it is taken for dead. */
export const lockBeatMs = 2_000;
export const lockSilenceMsMax = 10_000;
