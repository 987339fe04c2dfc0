/** Characters of each output stream that are kept and passed on; the rest is drained and dropped. */
export const outputCharsMax = 1024 * 1024;

/** Characters of its end that are at hand whatever was dropped before; no report shows more. */
export const outputEndChars = 32_000;

/** Characters of output at the end of a report and of an envelope. */
export const outputTailChars = 4_000;

/** The same for a program without a contract, whose output is its result. */
export const outputResultChars = 16_000;

/** Characters of previews in a report, line numbers included: of one file, and of all together. */
export const reportPreviewChars = 1_200;
export const reportPreviewsChars = 4_800;

/** Names of undeclared files in a report, for those that are kept and for those that are not. */
export const undeclaredShownMax = 20;
