/** All limits of the client, with their units. */

/** Characters of one message's text. */
export const textCharsMax = 32_000;
/** Events of one conversation kept for later listeners. Running iterators keep their own. */
export const eventsKeptMax = 20_000;
/** Bytes of a file sent inside its message. Larger files are uploaded first. */
export const inlineBytesMax = 256 * 1024;
/** Bytes of an upload per request, and the number of consecutive failures after which it is abandoned. */
export const uploadPieceBytes = 1024 * 1024;
export const uploadTriesMax = 40;
/** Turns whose conversation is remembered, so that files can be fetched by path alone. */
export const turnsKnownMax = 5_000;
export const reconnectMs = 250;
export const reconnectMsMax = 5_000;
/** Delay before retrying a subscription that the server ended or temporarily refused: the initial and the maximum delay. */
export const subscribeMs = 250;
export const subscribeMsMax = 10_000;
/** Default time that a message waits for its acknowledgement. */
export const answerMs = 30_000;
/** Consecutive refused tokens after which the client stops asking for another. */
export const tokensRefusedMax = 3;
export const fetchPageMax = 1_000;
/** Calls that this client has run and remembers, so that it does not run them again. */
export const callsRememberedMax = 5_000;
/** Characters of the error message of a failed client tool. */
export const errorCharsMax = 2_000;
