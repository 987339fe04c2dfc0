/** Characters of each output stream that are kept and forwarded; the rest is drained and dropped. */
export const outputCharsMax = 1024 * 1024;

/** Characters of the end of an output that are always kept; no report shows more. */
export const outputEndChars = 32_000;

/** Characters of the output's end in a report and an envelope. */
export const outputTailChars = 4_000;

/** The same for a program without a contract: its output is its result. */
export const outputResultChars = 16_000;

/** Characters of previews in a report, line numbers included: of one file, and of all together. */
export const reportPreviewChars = 1_200;
export const reportPreviewsChars = 4_800;

/** Names of undeclared files in a report, for those that are kept and for those that are not. */
export const undeclaredShownMax = 20;
