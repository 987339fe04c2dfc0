export const writeCharsMax = 2_000_000;
export const patchCharsMax = 2_000_000;
/** Lines that are compared to find where the hunks of a patch belong; where each is named rightly, a fraction of them. */
export const patchComparisonsMax = 5_000_000;
/** Of the diff that tells what a patch changed. */
export const diffShownChars = 1_500;
/** Lines of the old text times lines of the new, beyond which they are not compared one by one. */
export const diffCellsMax = 1_000_000;
/** Lines of the read that is proposed where a hunk did not match. */
export const suggestedLinesMin = 12;
export const suggestedLinesMax = 80;
export const notesPerWriteMax = 20;
