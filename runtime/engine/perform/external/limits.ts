/** Bytes of messages, thoughts, inputs and results that an agent program may produce in one round. */
export const externalOutputBytesMax = 16 * 1024 * 1024;
/** A program that sends nothing for this long, while no person is asked for a decision, is stopped. */
export const externalIdleMsMax = 600_000;
/** How often the time, the silence and the budget of a running program are checked. */
export const externalWatchMs = 1_000;
/** A program waits this long for a decision. Then it is ended, and continues once the decision is there. */
export const externalApprovalHoldMs = 300_000;
/** Characters of one text, of a call's input and of a call's output on the log; longer ones are cut. */
export const externalTextCharsMax = 400_000;
export const externalInputCharsMax = 20_000;
export const externalOutputCharsMax = 100_000;
/** Characters of a result that later prompts of other agents show. */
export const externalPreviewChars = 4_000;
/** Calls of one round. */
export const externalCallsMax = 2_000;
/** Earlier turns that a program without a session of its own reads, and characters of each text. */
export const externalHistoryTurnsMax = 10;
export const externalHistoryCharsMax = 2_000;
/** Time for storing the files of a round that was stopped. */
export const externalCollectMsMax = 60_000;
