const mebibyte = 1024 * 1024;

/** Members of one archive. */
export const archiveMembersMax = 10_000;

/** Bytes of everything in one archive, unpacked. */
export const archiveBytesMax = 512 * mebibyte;

/** Unpacked bytes for each packed one. */
export const archiveRatioMax = 200;

/** Unpacked bytes that are always allowed, whatever the packed size. */
export const archiveSmallBytes = 16 * mebibyte;

/** Bytes at the end of a zip file that hold its directory. */
export const zipDirectoryBytesMax = 4 * mebibyte;

/** Bytes of a member's name. */
export const memberNameBytesMax = 1_024;
