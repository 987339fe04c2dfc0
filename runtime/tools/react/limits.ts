export const readPathsMax = 20;
/** Characters and tokens one read shows, over all its paths. */
export const readCharsMax = 48_000;
export const readTokensMax = 12_000;
/** Files beyond this are not opened for reading. */
export const readBytesMax = 10 * 1024 * 1024;
/** Lines a proposal to go on reading asks for. */
export const nextLines = 200;
/** What a read result may add around the text: headings, gutters, what is missing. */
export const readFrameChars = 10_000;

export const writeCharsMax = 2_000_000;
export const patchCharsMax = 2_000_000;

export const memsearchQueryCharsMax = 256;
export const memsearchHitsDefault = 5;
export const memsearchHitsMax = 20;
export const memsearchSnippetChars = 500;

export const rgFilesMax = 200;
export const rgMatchesMax = 200;
export const rgFileBytesMax = 5 * 1024 * 1024;
export const rgTotalBytesMax = 32 * 1024 * 1024;
export const rgContextLinesMax = 10;
export const rgLineChars = 300;
export const rgDeadlineMs = 3_000;
export const rgPatternCharsMax = 500;

export const pullPathsMax = 100;
export const checkoutFilesMax = 200;
export const hideReplacementCharsMax = 4_000;
