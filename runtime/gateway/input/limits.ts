/** Bytes of one socket packet or JSON body: more than this takes too long to parse. Larger files go ahead as uploads. */
export const packetBytesMax = 8 * 1024 * 1024;
/** Bytes of a form with all files of a message, and of the binary parts of one socket message together. */
export const formBytesMax = 36 * 1024 * 1024;
/** Users whose rate is remembered; the longest idle go first. */
export const ratedUsersMax = 10_000;
/** How long a socket connection has to present who it is. */
export const admissionMs = 10_000;
