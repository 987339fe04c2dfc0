/** Characters of the message of an error nobody expected, as the model reads it. */
export const failureCharsMax = 500;
/** Characters of JSON one bundle tool may return. */
export const resultCharsMax = 4_000_000;
/** Characters of the answer of a dispatched tool. */
export const dispatchCharsMax = 4_000_000;

/** Of one operation, unless it says otherwise, and at most. */
export const operationTimeoutMs = 30_000;
export const operationTimeoutMsMax = 300_000;
/** Bytes of what an operation is asked with, and of what it answers. */
export const operationBodyBytesMax = 1024 * 1024;
export const operationAnswerBytesMax = 4 * 1024 * 1024;

export const mcpServersMax = 16;
/** Of one call to an MCP server, unless the bundle says otherwise. */
export const mcpTimeoutMs = 60_000;

export const storageKeyCharsMax = 400;
/** Characters of JSON of one stored value. */
export const storageValueCharsMax = 256_000;
/** Keys of one space: of a bundle, of one of its users or of a conversation. */
export const storageKeysMax = 10_000;
/** A hundred years. */
export const storageTtlMsMax = 100 * 365 * 86_400_000;

/** A shorter secret is not masked: it would black out ordinary text. */
export const maskedCharsMin = 6;

export const skillsPerBundleMax = 200;
export const skillTextCharsMax = 64_000;
export const skillNameCharsMax = 64;
export const skillDescriptionCharsMax = 1_024;
export const skillFileBytesMax = 2_000_000;
export const instructionCharsMax = 64_000;
