export const readPathsMax = 20;
/** Characters and tokens a read shows of one path. In a small context fewer: a share of it, but never below the floor. */
export const readCharsMax = 48_000;
export const readTokensMax = 12_000;
export const readTokensFloor = 4_000;
export const readContextShare = 0.15;
export const readCharsPerToken = 4;
/** All paths of one read together show so many times what one may. */
export const readPathsShare = 2;
/** What one read result may hold: its texts, a skill that is never cut, and what frames them. */
export const readResultChars = 180_000;
/** Lines a proposal to go on reading asks for. */
export const nextLines = 200;

/** Bytes of images and PDFs one read attaches to the prompt, and the share of the context they may fill. */
export const attachedBytesMax = 750_000;
export const attachedContextShare = 0.35;
/** Where the size of the context is not known. */
export const contextTokensDefault = 80_000;
export const attachedPixelsMax = 8_000;
export const pdfTokensPerPage = 4_100;
export const pdfBytesPerPage = 75_000;
