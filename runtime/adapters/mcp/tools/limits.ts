export const connectMsMax = 20_000;
/** How long a server may think about a question of the newer protocol before it counts as one of the older. */
export const probeMsMax = 5_000;
/** One page of a listing. */
export const listMsMax = 20_000;
export const listPagesMax = 20;
export const toolsPerServerMax = 128;
export const toolNameCharsMax = 128;
/** Providers take no longer names. */
export const toolIdCharsMax = 64;
export const descriptionCharsMax = 2_000;
export const parameterDescriptionCharsMax = 400;
/** Characters of JSON of one schema, as the server sends it and as it is shown. */
export const schemaCharsMax = 32_000;
export const schemaDepthMax = 16;
/** Schemas within a schema, references counted where they stand. */
export const schemaPartsMax = 2_000;
export const propertyNameCharsMax = 64;
/** Characters of all descriptions and schemas of one server. */
export const catalogueCharsMax = 120_000;
export const schemaErrorsMax = 20;

/** One message of a server, and what it may write without ending a line. */
export const messageBytesMax = 16 * 1024 * 1024;
/** Calls of one session at a time; the others wait. */
export const callsInFlightMax = 16;
export const callsWaitingMax = 1_000;
/** Beyond the time the call itself has, so that its own deadline tells. */
export const callGraceMs = 5_000;
export const errorCharsMax = 2_000;
export const filesPerResultMax = 20;

/** Pauses between attempts to reach a server again, doubled each time. */
export const retryMsMin = 1_000;
export const retryMsMax = 60_000;
/** A session that nobody has used for so long is closed, and opened again by the next call. */
export const idleMsMax = 600_000;
/** How long tools that vanish stay in the catalogue. */
export const absenceMsMax = 60_000;
/** Pause between two listings that a server asks for. */
export const relistMsMin = 30_000;
/** How long a child may take to end by itself, and once more after SIGTERM. */
export const stopGraceMs = 2_000;
export const stderrLineCharsMax = 500;
export const stderrLinesMax = 200;
