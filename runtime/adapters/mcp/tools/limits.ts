export const connectMsMax = 20_000;
/** How long a server may take to answer a request of the newer protocol before the older one is assumed. */
export const probeMsMax = 5_000;
/** Time limit for one page of a listing. */
export const listMsMax = 20_000;
export const listPagesMax = 20;
export const toolsPerServerMax = 128;
export const toolNameCharsMax = 128;
/** Providers do not accept longer names. */
export const toolIdCharsMax = 64;
export const descriptionCharsMax = 2_000;
export const parameterDescriptionCharsMax = 400;
/** Characters of one schema as JSON, both as the server sends it and as it is shown. */
export const schemaCharsMax = 32_000;
export const schemaDepthMax = 16;
/** Subschemas of a schema, counted after references are resolved. */
export const schemaPartsMax = 2_000;
export const propertyNameCharsMax = 64;
/** Characters of all descriptions and schemas of one server together. */
export const catalogueCharsMax = 120_000;
export const schemaErrorsMax = 20;

/** Bytes of one message from a server, and of an unfinished line. */
export const messageBytesMax = 16 * 1024 * 1024;
/** Concurrent calls of one session; further calls wait. */
export const callsInFlightMax = 16;
export const callsWaitingMax = 1_000;
/** Added to the call's own time limit, so that the call's own deadline fires first. */
export const callGraceMs = 5_000;
export const errorCharsMax = 2_000;
export const filesPerResultMax = 20;

/** Pauses between reconnection attempts, doubled each time. */
export const retryMsMin = 1_000;
export const retryMsMax = 60_000;
/** A session that is idle this long is closed; the next call opens it again. */
export const idleMsMax = 600_000;
/** How long missing tools stay in the catalogue. */
export const absenceMsMax = 60_000;
/** Maximum pause between two listings that a server triggers. */
export const relistMsMin = 30_000;
/** How long a child process may take to end on its own, and again after SIGTERM. */
export const stopGraceMs = 2_000;
export const stderrLineCharsMax = 500;
export const stderrLinesMax = 200;
