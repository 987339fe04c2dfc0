/** Executors that may wait for one kind of program. */
export const execPoolMax = 64;
/** One: it is there for the next program of a conversation before the model has thought of it. */
export const execPoolDefault = 1;
