/** Up to this size a blob is held in memory and sent in one request; a larger one is uploaded in parts. */
export const wholeBytesMax = 8 * 1_024 * 1_024;
/** Parts of one blob that are uploaded at the same time; each is held in memory. */
export const partsInFlightMax = 4;
/** Attempts of one request, including the first; the client waits longer before each. */
export const attemptsMax = 4;
export const connectMsMax = 5_000;
/** Silence on an open connection, not the length of a transfer. */
export const silenceMsMax = 30_000;
/** Installations that one store remembers as its users. */
export const installationsMax = 100;
/** A temporary object this old was left by a crash; a younger one may belong to a put. */
export const abandonedMs = 24 * 3_600_000;
/** Temporary objects that are removed when a store is opened. */
export const abandonedMax = 100;
