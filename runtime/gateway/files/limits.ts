/** Bytes of all attachments of one message. */
export const messageBytesMax = 25 * 1024 * 1024;
/** Requests without identity to public operations under way at once, and how long a request body may take. */
export const fileNameCharsMax = 120;
/** Characters of a textual attachment that stand in its block. */
export const previewCharsMax = 4_000;
/** How long an upload may take, and how long it then waits for its message. */
export const uploadTtlMs = 60 * 60 * 1000;
/** Uploads of one user that wait for their message. */
export const uploadsMax = 1_000;
/** Uploads of one user that are not finished: one more, and the oldest is dropped. */
export const openUploadsMax = 16;
/** Bytes of an upload that are kept at a time: what a cut connection brought counts. */
export const uploadPartBytes = 256 * 1024;
/** Parts of one upload: those of a large one are larger. */
export const uploadPartsMax = 1_024;
