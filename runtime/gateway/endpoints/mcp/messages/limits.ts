/** Bytes of a file that a client reads as a resource; larger files have their address under `/api/files`. */
export const resourceBytesMax = 8 * 1024 * 1024;
/** Files of one `resources/list` answer, and blocks read for it. */
export const resourcesPerPage = 100;
export const resourceBlocksPerPage = 5_000;
/** Characters of the text that describes a call on the log. */
export const callTextCharsMax = 2_000;
/** Attempts to begin a call while other turns of its conversation begin as well. */
export const beginTriesMax = 5;
/** How soon a client may connect again after its stream was cut. */
export const reconnectMs = 1_000;
/** Characters of the name of a place in a stream. */
export const placeCharsMax = 2_000;
/** How long a session is known after `initialize` or its end. */
export const sessionTtlMs = 7 * 86_400_000;
/** How often an open stream looks whether its bundle was loaded again, and whether its conversation has begun. */
export const reloadPollMs = 500;
export const conversationPollMs = 2_000;
/** Resources to whose changes a session subscribes, and characters of their addresses. */
export const watchedMax = 100;
export const uriCharsMax = 2_000;
/** Files that the result of a call or a prompt carries, and bytes of an image or a sound and of a text; the others are only linked. */
export const embeddedFilesMax = 8;
export const mediaBytesMax = 1024 * 1024;
export const embeddedTextBytesMax = 16 * 1024;
/** Characters of a prompt with its arguments. */
export const promptCharsMax = 256 * 1024;
/** Values of one completion, as the protocol limits them. */
export const completionValuesMax = 100;
/** Pages of files that are looked at to complete the path of one. */
export const completionPagesMax = 10;
/** Fields of a form that asks for an approval, and characters of an argument that it shows. */
export const formFieldsMax = 20;
export const formTextCharsMax = 500;
