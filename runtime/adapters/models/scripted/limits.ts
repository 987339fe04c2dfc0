/** Requests a scripted model remembers; the oldest go first. */
export const scriptedRequestsMax = 500;
/** Conversations whose place in a script is remembered; the oldest go first. */
export const scriptedConversationsMax = 2_000;
/** How much of the request a mismatch shows, from its end. */
export const mismatchShownChars = 400;
/** Characters in one chunk of a scripted stream, unless the script says otherwise. */
export const scriptedChunkChars = 24;
export const scriptedChunkCharsMax = 100_000;
export const scriptedDelayMsMax = 60_000;
export const scriptedRepliesMax = 1_000;
/** What an image or a document counts for in the usage of a scripted model: that of a large image. */
export const scriptedBinaryTokens = 1_600;
