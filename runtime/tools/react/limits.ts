export const readPathsMax = 20;
/** Characters and tokens a read shows of one path. In a small context fewer: a share of it, but never below the floor. */
export const readCharsMax = 48_000;
export const readTokensMax = 12_000;
export const readTokensFloor = 4_000;
export const readContextShare = 0.15;
export const readCharsPerToken = 4;
/** All paths of one read together show so many times what one may. */
export const readPathsShare = 2;
/** What one read result may hold: its texts, a skill that is never cut, and what frames them. */
export const readResultChars = 180_000;
/** Of a path that leads nowhere, when it is named. */
export const missingPathChars = 300;
/** Files beyond this are not opened for reading. */
export const readBytesMax = 10 * 1024 * 1024;
/** Lines a proposal to go on reading asks for. */
export const nextLines = 200;

/** Bytes of images and PDFs one read attaches to the prompt, and the share of the context they may fill. */
export const attachedBytesMax = 750_000;
export const attachedContextShare = 0.35;
/** Where the size of the context is not known. */
export const contextTokensDefault = 80_000;
export const attachedPixelsMax = 8_000;
export const pdfTokensPerPage = 4_100;
export const pdfBytesPerPage = 75_000;

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

export const memsearchQueryCharsMax = 256;
export const memsearchHitsDefault = 5;
export const memsearchHitsMax = 20;
export const memsearchSnippetChars = 500;
export const memsearchSnippetsPerTurn = 4;
/** Snippets beyond the wanted turns that a search asks for. */
export const memsearchSurplus = 10;
/** Turns of one conversation before those of others have their turn. */
export const memsearchHitsPerConversation = 2;
/** How far back a search by words looks unless it is told otherwise, and how far anything may. */
export const memsearchSearchDays = 365;
export const memsearchDaysMax = 3_650;
export const memsearchOrdinalMax = 1_000_000;

export const rgFilesMax = 200;
export const rgMatchesMax = 200;
export const rgFileBytesMax = 5 * 1024 * 1024;
export const rgTotalBytesMax = 32 * 1024 * 1024;
export const rgContextLinesMax = 10;
export const rgLineChars = 300;
export const rgDeadlineMs = 3_000;
/** What one line may cost: its characters times the size of the compiled pattern. Some half a second at the worst. */
export const rgLineSteps = 10_000_000;
/** How long a search may work before others get their turn. */
export const rgSliceMs = 8;
export const rgPlacesMax = 2_000;
export const rgReadItemsMax = 20;
export const rgSkippedShown = 20;
export const rgPatternCharsMax = 500;

export const pullPathsMax = 100;
export const pullBytesMax = 250 * 1024 * 1024;
export const checkoutFilesMax = 200;
export const checkoutBytesMax = 250 * 1024 * 1024;
export const hideReplacementCharsMax = 4_000;

/** Pages that a search of the knowledge shows, unless more are asked for, and at most. */
export const knowledgeHitsDefault = 5;
export const knowledgeHitsMax = 20;
export const knowledgeQueryCharsMax = 500;
/** Of the summary of each. */
export const knowledgeSummaryChars = 300;
