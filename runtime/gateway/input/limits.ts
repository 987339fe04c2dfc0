/** Bytes of one socket packet or JSON body: parsing more takes too long. Larger files are sent as uploads. */
export const packetBytesMax = 8 * 1024 * 1024;
/** Bytes of a form with all files of a message, or of all binary parts of one socket message. */
export const formBytesMax = 36 * 1024 * 1024;
/** Users whose rate is remembered; the longest idle are forgotten first. */
export const ratedUsersMax = 10_000;
/** How long a socket connection has to authenticate. */
export const admissionMs = 10_000;
