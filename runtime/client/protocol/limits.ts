/** Every bound of the client, with its unit. */

/** Characters of one message's text. */
export const textCharsMax = 32_000;
/** Events of one conversation kept for whoever starts to listen later; iterators under way keep their own. */
export const eventsKeptMax = 20_000;
/** Bytes of a file that travels inside its message; larger ones go ahead as uploads. */
export const inlineBytesMax = 256 * 1024;
/** Bytes of an upload that one request carries, and failures in a row after which it is given up. */
export const uploadPieceBytes = 1024 * 1024;
export const uploadTriesMax = 40;
/** Turns whose conversation is remembered, so that their files can be fetched by path alone. */
export const turnsKnownMax = 5_000;
export const reconnectMs = 250;
export const reconnectMsMax = 5_000;
/** Wait before a subscription that the server ended or refused for now is tried again: at first, and at most. */
export const subscribeMs = 250;
export const subscribeMsMax = 10_000;
/** How long a message waits for its acknowledgement, where `connect` does not say. */
export const answerMs = 30_000;
/** Tokens in a row that may be refused before nobody asks for another. */
export const tokensRefusedMax = 3;
export const fetchPageMax = 1_000;
/** Calls this client has performed that it remembers, so as not to perform them again. */
export const callsRememberedMax = 5_000;
/** Characters of the message of a client's tool that failed. */
export const errorCharsMax = 2_000;
