export const writeCharsMax = 2_000_000;
export const patchCharsMax = 2_000_000;
/** Line comparisons allowed to locate the hunks of a patch; correct line numbers need only a fraction of them. */
export const patchComparisonsMax = 5_000_000;
/** Characters shown of the diff that a patch made. */
export const diffShownChars = 1_500;
/** Removed plus added lines; beyond this, lines are not compared and the middle of the text is replaced as a whole. */
export const diffEditsMax = 600;
/** Number of lines in the suggested read after a hunk did not match. */
export const suggestedLinesMin = 12;
export const suggestedLinesMax = 80;
export const notesPerWriteMax = 20;
