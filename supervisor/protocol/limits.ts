/** Bytes of one frame after its length. A tool's input must fit into one frame; results are cut into parts. */
export const frameBytesMax = 8 * 1024 * 1024;

/** Bytes of JSON in one part of a result: others get their turn between two parts. */
export const resultPartBytesMax = 1024 * 1024;

/** Bytes of one whole result as JSON. */
export const resultBytesMax = 64 * 1024 * 1024;

/** Calls of one program that are being performed at the same time; reading its stream stops there. */
export const callsInFlightMax = 64;

/** Calls of one program from start to end; their ids are remembered, so that none is performed twice. */
export const callsMax = 10_000;

export const codeCharsMax = 1024 * 1024;

/** Objects and lists within each other in a tool's input. */
export const inputDepthMax = 64;
