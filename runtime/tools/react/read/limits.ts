export const readPathsMax = 20;
/** Characters and tokens a read shows of one path. In a small context the limit is a share of it, but never below the floor. */
export const readCharsMax = 48_000;
export const readTokensMax = 12_000;
export const readTokensFloor = 4_000;
export const readContextShare = 0.15;
export const readCharsPerToken = 4;
/** All paths of one read together may show this multiple of the limit of one path. */
export const readPathsShare = 2;
/** Characters of one read result: its texts, including a skill, which is never cut, and the lines around them. */
export const readResultChars = 180_000;

/** Bytes of images and PDFs one read attaches to the prompt, and the share of the context they may fill. */
export const attachedBytesMax = 750_000;
export const attachedContextShare = 0.35;
/** Assumed if the size of the context is unknown. */
export const contextTokensDefault = 80_000;
export const attachedPixelsMax = 8_000;
export const pdfTokensPerPage = 4_100;
export const pdfBytesPerPage = 75_000;
