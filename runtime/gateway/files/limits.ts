/** Bytes of all attachments of one message. */
export const messageBytesMax = 25 * 1024 * 1024;
export const fileNameCharsMax = 120;
/** Characters of a text attachment in its block. */
export const previewCharsMax = 4_000;
/** How long an upload may take, and how long it is then kept for its message. */
export const uploadTtlMs = 60 * 60 * 1000;
/** Uploads of one user that wait for their message. */
export const uploadsMax = 1_000;
/** Unfinished uploads of one user: one more, and the oldest is dropped. */
export const openUploadsMax = 16;
/** Bytes of an upload that are stored at a time: those of an interrupted request are kept. */
export const uploadPartBytes = 256 * 1024;
/** Parts of one upload: large uploads have larger parts. */
export const uploadPartsMax = 1_024;
