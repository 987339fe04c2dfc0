/** Bytes that a socket connection may send before it is admitted: a handshake with its token. */
export const anonymousBytesMax = 32 * 1024;
/** Connections on which nobody has been identified yet; one more, and the oldest is closed. */
export const anonymousConnectionsMax = 1_024;
