export const rgFilesMax = 200;
export const rgMatchesMax = 200;
export const rgFileBytesMax = 5 * 1024 * 1024;
export const rgTotalBytesMax = 32 * 1024 * 1024;
export const rgContextLinesMax = 10;
export const rgLineChars = 300;
export const rgDeadlineMs = 3_000;
/** Cost limit of one line: its characters times the size of the compiled pattern. About half a second in the worst case. */
export const rgLineSteps = 10_000_000;
/** How long a search may run before it yields to the event loop. */
export const rgSliceMs = 8;
export const rgPlacesMax = 2_000;
export const rgReadItemsMax = 20;
export const rgSkippedShown = 20;
export const rgPatternCharsMax = 500;
