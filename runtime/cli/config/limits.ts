/** Maximum idle executors for one kind of program. */
export const execPoolMax = 64;
/** One executor is ready for the next program of a conversation before the model requests it. */
export const execPoolDefault = 1;

/** Maximum resources that an operator can give one program. */
export const execCpusMax = 64;
export const execProcessesMax = 1_024;
export const execWorkspaceMbMax = 8_192;
export const execInodesMax = 1_000_000;

/** Maximum settings in MiB: for files checked in memory, for other files (programs cannot open larger ones), for a message. */
export const bufferedFileMbMax = 100;
export const fileMbMax = 1_024;
export const messageMbMax = 4_096;
export const pdfPagesMax = 10_000;

/** Minimum characters of `TIMELOOM_SECRETS_KEY`. */
export const secretsKeyCharsMin = 32;

/** Maximum setting for concurrent conversations of one worker. */
export const turnsPerWorkerCeiling = 1_000;

/** Lifetime of tokens of `timeloom token`, in hours. */
export const tokenHoursDefault = 12;
export const tokenHoursMax = 24 * 365;

/** Maximum number of worker processes of one server. */
export const workersMax = 16;
/** Tenants and projects beside the installation's own. Each has its bundles in memory. */
export const projectsMax = 100;
