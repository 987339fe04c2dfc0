/** Roles of one user. */
export const rolesMax = 32;
/** How long a browser may cache the answer to a preflight request. */
export const preflightSecondsMax = 600;
/** How long an event stream is silent before a comment is sent. */
export const keepAliveMs = 15_000;
/** How long a request waits for the end of a turn. */
export const answerWaitMs = 600_000;
/** How long a poll waits for events, in seconds, and how many it returns. */
export const pollSecondsDefault = 25;
export const pollSecondsMax = 60;
export const polledFramesMax = 1_000;
