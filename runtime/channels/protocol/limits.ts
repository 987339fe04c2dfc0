/** Limits of this folder, unit last. What happens at each is said where it is used. */

/** Body of one channel instance, in UTF-16 units, where its spec names no other. */
export const channelCharsMax = 400_000;
/** A tag from `<` to `>`. A longer one is text, so no more than this is ever held back for a tag. */
export const tagCharsMax = 512;
/** How far a backtick may hide a tag behind it without being closed. */
export const spanCharsMax = 2_000;
/** Notices of one scanner; further ones are counted in the last. */
export const noticesMax = 50;
/** How much of a text a notice or violation quotes. */
export const previewCharsMax = 600;
/** Of a wrong reply, quoted in a sentence about it. */
export const excerptCharsMax = 120;
/** Of a text, quoted around a place in it. */
export const nearCharsBefore = 40;
export const nearCharsAfter = 30;
/** Containers inside containers of one JSON value; a deeper one is a fault of that JSON. */
export const jsonDepthMax = 64;
/** Characters of a number. */
export const scalarCharsMax = 400;
/** A citation token from `[[` to `]]`; a longer one is text, so no more than this is ever held back for it. */
export const citationCharsMax = 200;
/** Sources one token may name, ranges counted out; further ones are dropped. */
export const citationSidsMax = 50;
/** Strings of one JSON value whose citations are kept. */
export const sidecarEntriesMax = 500;
/** Actions of one reply where several are allowed and nobody says otherwise. */
export const actionsMaxDefault = 2;
/** Plain text before an object without tags that is still taken as a decision. */
export const preambleCharsMax = 1_000;
/** Plain text shorter than this may be a preamble of channels, so it is not shown as an answer before the reply ends. */
export const proseHeldChars = 200;
/** Of the beginning of a line, held back until it is clear what it is. */
export const lineHeadCharsMax = 80;
/** Of an object without tags, read before it must have said its action. */
export const bareObjectCharsMax = 20_000;
/** Of plain text outside of channels, kept for the case that there is nothing else. */
export const outsideCharsMax = 8_000;
