/** Bounds of what is looked at in a file, with their units. */

/** Bytes at the beginning of a file that tell its type. */
export const headBytes = 4_100;
/** Pixels of the longest edge of an image: model providers refuse a request that holds a larger one. */
export const imageEdgeMax = 8_000;

/** Pages of a PDF, unless the operator sets `pdf_pages`. */
export const pdfPagesMax = 500;
export const pdfObjectsMax = 100_000;
export const pdfObjectStreamsMax = 2_000;
/** Times that a PDF was saved on top of what it was. */
export const pdfUpdatesMax = 5;
/** Bytes that the streams of a PDF declare in all. */
export const pdfStreamBytesMax = 100 * 1024 * 1024;
/** Bytes at the end of a PDF in which its end mark must stand. */
export const pdfTailBytes = 1_024;

/** Entries of a ZIP package, those of embedded packages among them. */
export const packageEntriesMax = 2_000;
/** Bytes that a package unpacks to, and how many for each of its own bytes. */
export const packageBytesMax = 120 * 1024 * 1024;
export const packageRatioMax = 200;
/** Bytes of one part that names types or relationships. */
export const packageIndexBytesMax = 4 * 1024 * 1024;

/** Threads that look into files, how long one file may take, and the MiB of heap it may take. */
export const inspectorThreadsMax = 2;
export const inspectionMsMax = 20_000;
export const inspectionHeapMb = 384;

/** Bytes of one attachment, by what it is. */
export const imageBytesMax = 5 * 1024 * 1024;
export const pdfBytesMax = 10 * 1024 * 1024;
export const textBytesMax = 10 * 1024 * 1024;
export const fileBytesMax = 25 * 1024 * 1024;
