/** Lines about tools in the message of a running turn. */
export const progressLinesMax = 5;
/** Messages of one turn; the texts after them are left out. */
export const turnMessagesMax = 60;
/** Chats that a server follows at the same time. The one that was silent for longest makes room. */
export const followedChatsMax = 1_000;
/** Updates of one chat that wait to be handled. */
export const chatBacklogMax = 100;
/** Pause before a surface that failed is tried again. */
export const surfaceRetryMs = 5_000;
/** Characters of an input in an approval. */
export const approvalInputCharsMax = 1_000;
/** Longest wait of a message for `retry_after_ms` of the server. */
export const busyWaitMaxMs = 60_000;
/** A turn is shown as typing this often. */
export const typingMs = 4_000;
/** How often a gateway tries to become the one that serves a messenger, and how long giving that up may take. */
export const surfaceLeaseRetryMs = 2_000;
export const surfaceReleaseMs = 2_000;
/** How often it looks for chats that other gateways have opened. */
export const openChatsPollMs = 1_000;
/** How long a message that is being sent may take after the server was stopped. */
export const postGraceMs = 3_000;
