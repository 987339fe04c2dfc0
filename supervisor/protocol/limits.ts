/** Bytes of one frame after its length, and so of a tool's input. */
export const frameBytesMax = 8 * 1024 * 1024;

/** The same of a frame with a result. */
export const resultBytesMax = 64 * 1024 * 1024;

/** Characters from which a text travels beside the JSON of its message; how many of one message, and how deep in it. */
export const textCharsMin = 2_048;
export const textsMax = 32;
export const textDepthMax = 5;

/** Values of a message that are looked at for large texts. */
export const textsSeenMax = 100;

/** Calls of one program that are being performed at the same time; reading its stream stops there. */
export const callsInFlightMax = 64;

/** Calls of one program from start to end; their ids are remembered, so that none is performed twice. */
export const callsMax = 10_000;

export const codeCharsMax = 1024 * 1024;

/** Objects and lists within each other in a tool's input. */
export const inputDepthMax = 64;

/** Memory of one stream that is kept for its next large frame, in each direction. */
export const keptBytesMax = 2 * 1024 * 1024;
