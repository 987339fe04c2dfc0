/** Characters of a history that a client sends with its message. */
export const transcriptCharsMax = 64_000;
/** Rounds of a turn, whatever its request asks for. */
export const toolRoundsMax = 256;
/** Conversations of a user in which a waiting call is looked for, newest first. */
export const waitingConversationsMax = 500;
/** Bytes of a file that the server produced and a message names. */
export const producedFileBytesMax = 25 * 1024 * 1024;
/** Uploaded files of one list. */
export const filesListedMax = 100;
