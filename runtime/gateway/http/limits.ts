/** Roles of one user. */
export const rolesMax = 32;
/** How long a browser may cache the answer to a preflight request. */
export const preflightSecondsMax = 600;
/** How long an event stream is silent before a comment is sent. */
export const keepAliveMs = 15_000;
/** How long a request waits for the end of a turn. */
export const answerWaitMs = 600_000;
