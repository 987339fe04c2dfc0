/** Seconds that a request for updates stays open while nothing happens. */
export const pollSeconds = 50;
/** Beyond `pollSeconds`, and for every other call. */
export const callDeadlineMs = 20_000;
/** Upload of a file. */
export const uploadDeadlineMs = 120_000;
/** Attempts of a call that fails for a moment. */
export const attemptsMax = 6;
/** The longest pause that the service may ask for before a call is repeated. */
export const retryAfterMaxMs = 120_000;
export const firstRetryMs = 500;
/** Telegram's own limits: characters of a message after its markup is read, bytes of a download, bytes of a document. */
export const messageCharsMax = 4_096;
export const downloadBytesMax = 20 * 1_048_576;
export const documentBytesMax = 50 * 1_048_576;
/** Bytes of an answer of the service. */
export const answerBytesMax = 8 * 1_048_576;
/** Telegram refuses more than about one change a second in a chat, and twenty a minute in a group. */
export const editMs = 1_500;
