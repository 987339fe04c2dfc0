/** Bytes of a page or file. */
export const pageBytesMax = 10 * 1_048_576;
/** Bytes of a page that are read as HTML; parsing more would block other turns. */
export const htmlBytesMax = 2 * 1_048_576;
export const robotsBytesMax = 512 * 1_024;
export const searchBytesMax = 2 * 1_048_576;
export const redirectsMax = 5;
export const requestDeadlineMs = 20_000;
/** Sites whose robots.txt is remembered, and for how long. */
export const robotsSitesMax = 200;
export const robotsTtlMs = 10 * 60_000;
/** Threads that read pages, what each may take, and for how long. */
export const htmlThreadsMax = 2;
export const htmlHeapMb = 256;
export const htmlDeadlineMs = 10_000;
/** Pages of a PDF whose text is read. */
export const pdfPagesReadMax = 1_000;
export const titleCharsMax = 300;
export const pageTextCharsMax = 400_000;
