/** Requests that a scripted model remembers; the oldest are dropped first. */
export const scriptedRequestsMax = 500;
/** Conversations whose position in a script is remembered; the oldest are dropped first. */
export const scriptedConversationsMax = 2_000;
/** How many of the request's last characters a mismatch shows. */
export const mismatchShownChars = 400;
/** Default number of characters in one chunk of a scripted stream. */
export const scriptedChunkChars = 24;
export const scriptedChunkCharsMax = 100_000;
export const scriptedDelayMsMax = 60_000;
export const scriptedRepliesMax = 1_000;
/** Tokens of an image or a document in the usage of a scripted model, as for a large image. */
export const scriptedBinaryTokens = 1_600;
