/** Facts of one user, one agent or one tenant: the oldest go first. */
export const factsPerSpaceMax = 1_000;
/** UTF-16 units of one fact. */
export const factCharsMax = 1_000;
/** Facts of one recording. */
export const factsPerRecordingMax = 20;
/** How long a recording is remembered, so that its repetition changes nothing, and a forgotten fact stays forgotten. */
export const recordingKeptMs = 30 * 86_400_000;
/** Facts that are more similar than this say the same. */
export const sameFactNearness = 0.97;
/** Answers of a memory service. */
export const memoryAnswerBytesMax = 4_000_000;
/** Most facts that a memory service is asked to list. */
export const memoryListMax = 1_000;
export const memoryRequestMs = 20_000;
/** How often a request that changes nothing twice is made, and the pause before the second time. */
export const memoryTriesMax = 3;
export const memoryPauseMs = 250;
