/** The last turns of a conversation, which are the state of its thread. */
export const threadTurnsMax = 50;
/** Threads of one search. */
export const threadsMax = 200;
