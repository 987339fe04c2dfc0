/** One git command. */
export const gitDeadlineMs = 120_000;
/** What a command may print: a list of refs, or an error. */
export const gitOutputBytesMax = 4 * 1_048_576;
/** Files and bytes of a folder that is used from a repository. */
export const sourceFilesMax = 10_000;
export const sourceBytesMax = 256 * 1_048_576;
/** Copies of a repository that are kept, besides those that are in use. */
export const copiesMax = 3;
