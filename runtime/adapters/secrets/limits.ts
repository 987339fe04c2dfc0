/** How long a secret of AWS Secrets Manager is used before it is read again. */
export const secretRefreshMs = 60_000;
/** Attempts of one read, and waits for a connection and an answer. */
export const readAttemptsMax = 3;
export const connectMsMax = 2_000;
export const answerMsMax = 5_000;
