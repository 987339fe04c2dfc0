/** Bytes of one frame's body. A tool's input must fit into one frame; results are cut into parts. */
export const frameBytesMax = 8 * 1024 * 1024;

/** Characters of JSON in one part of a result: four bytes each at the most, and room for escapes. */
export const resultPartCharsMax = 512 * 1024;

/** Characters of one whole result as JSON. */
export const resultCharsMax = 64 * 1024 * 1024;

/** Calls of one program that are being performed at the same time; reading its stream stops there. */
export const callsInFlightMax = 64;

/** Calls of one program from start to end; their ids are remembered, so that none is performed twice. */
export const callsMax = 10_000;

export const codeCharsMax = 1024 * 1024;

/** Objects and lists within each other in a tool's input. */
export const inputDepthMax = 64;
