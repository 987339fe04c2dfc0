/** Bytes of one frame after its length, and therefore of a tool's input. */
export const frameBytesMax = 8 * 1024 * 1024;

/** The same for a frame with a result. */
export const resultBytesMax = 64 * 1024 * 1024;

/** Characters from which a text is sent after the JSON of its message; number of such texts in one message, and their depth in it. */
export const textCharsMin = 2_048;
export const textsMax = 32;
export const textDepthMax = 5;

/** Values of a message that are searched for large texts. */
export const textsSeenMax = 100;

/** Calls of one program at the same time; at this number reading its stream pauses. */
export const callsInFlightMax = 64;

/** Calls of one program in total; their ids are kept so that none is performed twice. */
export const callsMax = 10_000;

export const codeCharsMax = 1024 * 1024;

/** Nesting of objects and lists in a tool's input. */
export const inputDepthMax = 64;

/** Values of an input, and different names in its objects: a JavaScript engine takes a microsecond for each new name. */
export const inputValuesMax = 50_000;
export const inputNamesMax = 10_000;

/** Bytes of a line from which names are compared. A shorter line has fewer names than the limit, because each takes five bytes. */
export const comparedLineBytesMin = 5 * inputNamesMax;
/** Compared bytes of a name. */
export const comparedNameBytes = 128;

/** Bytes of each part of a message except a tool's input, as JSON. */
export const partBytesMax = 64 * 1024;

/**
 * Bytes that a program may send per second, and in a burst before that. Parsing costs more than the number of bytes suggests, so
 * each frame, value and name counts as additional bytes.
 */
export const sentBytesPerSecond = 32 * 1024 * 1024;
export const sentBytesAtOnce = 64 * 1024 * 1024;
export const frameCostBytes = 8 * 1024;
export const valueCostBytes = 64;
export const nameCostBytes = 512;

/** Bytes of the running calls of one program and of results that it has not read; at this number reading its stream pauses. */
export const heldBytesMax = 64 * 1024 * 1024;

/** Bytes that count for a fetch from the timeline. */
export const fetchHeldBytes = 16 * 1024 * 1024;

/** The stream of a program is closed when it leaves more bytes of results unread for this long. */
export const unreadBytesMax = 64 * 1024 * 1024;
export const unreadMsMax = 10_000;

/** Bytes of a line and of a frame from which the line is read in slices, one per tick of the event loop, and bytes of a slice. */
export const longLineBytes = 64 * 1024;
export const longFrameBytes = 2 * 1024 * 1024;
export const sliceBytes = 1024 * 1024;

/** Memory of one stream that is kept for the next large frame, in each direction. */
export const keptBytesMax = 2 * 1024 * 1024;
