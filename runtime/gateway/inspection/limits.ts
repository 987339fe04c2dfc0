/** Limits of the file checks. */

/** Bytes at the beginning of a file that identify its type. */
export const headBytes = 4_100;
/** Pixels of the longest edge of an image: model providers reject larger ones. */
export const imageEdgeMax = 8_000;

/** Pages of a PDF, unless the operator sets `pdf_pages`. */
export const pdfPagesMax = 500;
export const pdfObjectsMax = 100_000;
export const pdfObjectStreamsMax = 2_000;
/** Incremental updates of a PDF. */
export const pdfUpdatesMax = 5;
/** Bytes that the streams of a PDF declare in all. */
export const pdfStreamBytesMax = 100 * 1024 * 1024;
/** Bytes at the end of a PDF that must contain its end marker. */
export const pdfTailBytes = 1_024;

/** Pages and characters of the text that is kept of a PDF. */
export const pdfTextPagesMax = 300;
export const pdfTextCharsMax = 1_000_000;

/** Entries of a ZIP package, including embedded packages. */
export const packageEntriesMax = 2_000;
/** Bytes that a package unpacks to, in all and for each of its own bytes. */
export const packageBytesMax = 120 * 1024 * 1024;
export const packageRatioMax = 200;
/** Bytes of one index of content types or relationships. */
export const packageIndexBytesMax = 4 * 1024 * 1024;

/** Threads that check files, and the time and heap (MiB) for one file. */
export const inspectorThreadsMax = 2;
export const inspectionMsMax = 20_000;
export const inspectionHeapMb = 384;

/** Bytes of one attachment, by type. */
export const imageBytesMax = 5 * 1024 * 1024;
export const pdfBytesMax = 10 * 1024 * 1024;
export const textBytesMax = 10 * 1024 * 1024;
export const fileBytesMax = 25 * 1024 * 1024;
