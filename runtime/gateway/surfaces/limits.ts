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
