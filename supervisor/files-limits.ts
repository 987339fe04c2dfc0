/** Collecting files after the program has ended, whoever cancelled it. */
export const collectMsMax = 60_000;

export const contractItemsMax = 64;

/** Characters of the beginning of a delivered file that are kept with it, and of all files of a run together. */
export const previewCharsMax = 8_000;
export const previewsCharsMax = 32_000;

/** Files that a program left and nobody asked for: how many of a folder are found, how many names are looked at, and how deep. */
export const undeclaredFilesMax = 600;
export const undeclaredNamesMax = 2_000;
export const undeclaredDepthMax = 8;

/** Names of files in a result that were not declared and not kept. */
export const leftFilesMax = 100;

/** Files that a program adds to its workspace without being asked; what it had there is kept beside them. */
export const keptFilesMax = 50;

/** Bytes up to which a file is held in memory to see whether it is as it was given; a larger one is stored again. */
export const comparedBytesMax = 8 * 1024 * 1024;
