/** Connections of one program at the same time. */
export const egressConnectionsMax = 64;
/** Bytes that one program may send and receive over one connection. */
export const egressBytesMax = 1024 * 1024 * 1024;
/** A connection on which nothing happens for this long is closed. A model may think for some minutes. */
export const egressIdleMsMax = 600_000;
/** Time for reaching a host. */
export const egressConnectMsMax = 15_000;
