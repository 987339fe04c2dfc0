/** Time for collecting files after the program has ended, even if it was cancelled. */
export const collectMsMax = 60_000;

export const contractItemsMax = 64;

/** Characters of a delivered file that are kept as its preview, and of all previews of a run together. */
export const previewCharsMax = 8_000;
export const previewsCharsMax = 32_000;

/** Undeclared files: how many of a folder are found, how many names are read, and how deep. */
export const undeclaredFilesMax = 600;
export const undeclaredNamesMax = 2_000;
export const undeclaredDepthMax = 8;

/** Names of files in a result that were not declared and not kept. */
export const leftFilesMax = 100;

/** Undeclared files that a program can add to its workspace; files that it was given there are kept in addition. */
export const keptFilesMax = 50;

/** Bytes up to which a file is read into memory to detect that it is unchanged; a larger one is stored again. */
export const comparedBytesMax = 8 * 1024 * 1024;
