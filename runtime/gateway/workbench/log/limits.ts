/** Requests of one user per minute. */
export const inspectionsPerMinuteMax = 900;
/** Open logs that are kept in memory, and their blocks together; the longest unused are dropped first. */
export const keptLogsMax = 16;
export const keptBlocksMax = 120_000;
/** Blocks that are read from the store at once. */
export const logPageBlocks = 2_000;
/** Rounds of one page. */
export const roundsPageMax = 2_000;
/** Blocks of one page. */
export const blocksPageMax = 2_000;
/** Characters of a prompt, an event or an answer in the list of rounds. */
export const roundTextCharsMax = 2_000;
/** Characters of the summary of a block. */
export const summaryCharsMax = 240;
/** Characters of a prompt, a reply or a script in one response. */
export const promptCharsMax = 8_000_000;
/** Blocks that are not in a prompt, each with its reason; the newest ones. */
export const absentBlocksMax = 3_000;
/** Model calls of one page of the cache ledger; the newest ones. */
export const ledgerCallsMax = 5_000;
/** Spans of one response; of the newest turns. */
export const spansMax = 20_000;
/** Conversations and forks of one page. */
export const conversationsPageMax = 200;
/** Groups of usage in one response. */
export const usageRowsMax = 1_000;
/** Conversations at work in one event of the live stream. */
export const liveRowsMax = 200;
/** How long a live stream waits after a change for others that belong to it, and how often it looks without one. */
export const livePauseMs = 500;
export const liveEveryMs = 5_000;
/** Characters of the prompt that names a tool call. */
export const toolTextCharsMax = 2_000;
/** How often a check reports its progress, in items. */
export const progressEvery = 20;
/** Checks (verify, replay) that run at the same time. */
export const checksMax = 2;
/** Conversations of one tree of forks, and steps up to its root. */
export const familyMax = 200;
export const ancestorsMax = 100;
/** Failures in one response, and characters of the message of each. */
export const failuresMax = 100;
export const failureCharsMax = 500;
/** Conversations whose feedback is in one response, and characters of each text beside it. */
export const ratedConversationsMax = 50;
export const ratingCharsMax = 500;
/** Tools in one response; those with the most failures. */
export const toolRowsMax = 200;
/** Cases of one eval folder in a response. */
export const evalCasesMax = 1_000;
