/** Executors that may wait for one kind of program. */
export const execPoolMax = 64;
/** One: it is there for the next program of a conversation before the model has thought of it. */
export const execPoolDefault = 1;

/** What an operator may give to one program. */
export const execCpusMax = 64;
export const execProcessesMax = 1_024;
export const execWorkspaceMbMax = 8_192;
export const execInodesMax = 1_000_000;

/** MiB that an operator may allow: of files that are checked in memory, of others (a program opens no larger one), of a message. */
export const bufferedFileMbMax = 100;
export const fileMbMax = 1_024;
export const messageMbMax = 4_096;
export const pdfPagesMax = 10_000;

/** Characters of `TIMELOOM_SECRETS_KEY`. */
export const secretsKeyCharsMin = 32;

/** Conversations that one worker may be set to work on at the same time. */
export const turnsPerWorkerCeiling = 100;

/** How long a token of `timeloom token` is valid, in hours. */
export const tokenHoursDefault = 12;
export const tokenHoursMax = 24 * 365;
