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

/** Values of an input, and different names in its objects: an engine takes a microsecond for each new name. */
export const inputValuesMax = 50_000;
export const inputNamesMax = 10_000;

/** Bytes of a line from which names are compared. A shorter one has fewer than the limit: each takes five bytes. */
export const comparedLineBytesMin = 5 * inputNamesMax;
/** Bytes of a name that are compared. */
export const comparedNameBytes = 128;

/** Bytes of the parts of a message beside a tool's input, as JSON. */
export const partBytesMax = 64 * 1024;

/**
 * Bytes that a program may send per second, and at once before that holds. Parsing costs more than the bytes say, so each
 * frame, value and name counts as this many more.
 */
export const sentBytesPerSecond = 32 * 1024 * 1024;
export const sentBytesAtOnce = 64 * 1024 * 1024;
export const frameCostBytes = 8 * 1024;
export const valueCostBytes = 64;
export const nameCostBytes = 512;

/** Bytes of the calls of one program that are being performed, and of results it has not taken; reading its stream stops there. */
export const heldBytesMax = 64 * 1024 * 1024;

/** What a fetch from the timeline counts as among them. */
export const fetchHeldBytes = 16 * 1024 * 1024;

/** A program that leaves more bytes of results untaken than these for so long has its stream closed. */
export const untakenBytesMax = 64 * 1024 * 1024;
export const untakenMsMax = 10_000;

/** Bytes of a line, and of a frame, from which it is read in turns of the event loop, and bytes of a line in each of them. */
export const longLineBytes = 64 * 1024;
export const longFrameBytes = 2 * 1024 * 1024;
export const sliceBytes = 1024 * 1024;

/** Memory of one stream that is kept for its next large frame, in each direction. */
export const keptBytesMax = 2 * 1024 * 1024;
