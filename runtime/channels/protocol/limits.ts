/** Body of one channel instance in UTF-16 units, unless its spec sets another limit. */
export const channelCharsMax = 400_000;
/** A tag from `<` to `>`. A longer one is text, so at most this much is held back for a tag. */
export const tagCharsMax = 512;
/** How far an unclosed backtick can turn a tag after it into text. */
export const spanCharsMax = 2_000;
/** Notices of one scanner; the last notice counts the rest. */
export const noticesMax = 50;
/** How much of a text a notice or violation quotes. */
export const previewCharsMax = 600;
/** Part of a wrong reply that a message quotes. */
export const excerptCharsMax = 120;
/** Characters that a message quotes before and after a position. */
export const nearCharsBefore = 40;
export const nearCharsAfter = 30;
/** Nesting levels of one JSON value; deeper JSON is an error. */
export const jsonDepthMax = 64;
/** Characters of a number or keyword. */
export const scalarCharsMax = 400;
/** A citation token from `[[` to `]]`. A longer one is text, so at most this much is held back for it. */
export const citationCharsMax = 200;
/** Sources of one token, with ranges expanded; the rest is dropped. */
export const citationSidsMax = 50;
/** Strings of one JSON value whose citations are kept. */
export const sidecarEntriesMax = 500;
/** Actions of one reply if several are allowed and no other limit is set. */
export const actionsMaxDefault = 2;
/** Actions of one reply with `bundle`, at most. */
export const bundleActionsMax = 8;
/** Calls of one reply that are recorded as not executed; one more ends the reply. */
export const declinedActionsMax = 8;
/** Plain text that may precede an object without tags that counts as a decision. */
export const preambleCharsMax = 1_000;
/** Shorter plain text may be a preamble of channels, so it is not shown as an answer before the reply ends. */
export const proseHeldChars = 200;
/** Beginning of a line that is held back until its meaning is clear. */
export const lineHeadCharsMax = 80;
/** Length of an object without tags within which its action must appear. */
export const bareObjectCharsMax = 20_000;
/** Plain text outside channels that is kept in case the reply contains nothing else. */
export const outsideCharsMax = 8_000;
/** Characters of a tool's name in a provider's tool calling. */
export const wireNameCharsMax = 64;
