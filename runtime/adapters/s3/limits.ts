/** Up to here a blob is held in memory and sent in one request under its name; beyond, it goes up in parts. */
export const wholeBytesMax = 8 * 1_024 * 1_024;
/** Parts of one blob that are on their way at once; each is held in memory. */
export const partsInFlightMax = 4;
/** Tries of one request, the first included; the client waits longer before each. */
export const attemptsMax = 4;
export const connectMsMax = 5_000;
/** Silence on an open connection, not the length of a transfer. */
export const silenceMsMax = 30_000;
