/** Bytes that a socket connection may send before it is authenticated: a handshake with its token. */
export const anonymousBytesMax = 32 * 1024;
/** Unauthenticated connections; one more, and the oldest is closed. */
export const anonymousConnectionsMax = 1_024;
