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

/** Bytes of JSON of what is enqueued for a job, and characters of its key. */
export const jobInputBytesMax = 64 * 1024;
export const jobKeyCharsMax = 400;
/** How long something enqueued may have to wait: a year. */
export const jobDelayMsMax = 365 * 86_400_000;
/** Of one run of a job, unless it says otherwise, and at most. */
export const jobTimeoutMs = 300_000;
export const jobTimeoutMsMax = 3_600_000;
/** How often what was enqueued is begun, unless its job says otherwise, and at most. */
export const jobAttempts = 3;
export const jobAttemptsMax = 20;
/** Characters of why a run failed that are kept. */
export const jobErrorCharsMax = 2_000;

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

/** Output tokens that an option of a model may allow: the runtime asks for no more. */
export const maxOutputTokensMax = 8_000;

/** Characters of a secret that a user sets. */
export const userSecretCharsMax = 16_384;
/** A shorter secret is not masked: it would black out ordinary text. */
export const maskedCharsMin = 6;

export const skillsPerBundleMax = 200;
export const skillTextCharsMax = 64_000;
export const skillNameCharsMax = 64;
export const skillDescriptionCharsMax = 1_024;
export const skillFileBytesMax = 2_000_000;
export const instructionCharsMax = 64_000;

export const hooksPerBundleMax = 50;
/** Of one guard, transformer or observer; a guard that takes longer says no. */
export const hookTimeoutMs = 15_000;
/** Characters of JSON a transformer may make of an event, an input or an answer; of a result, as many as a tool may return. */
export const hookValueCharsMax = 400_000;
/** Blocks that wait to be observed, and what is emitted and waits for its guard; the rest is dropped, and that is said. */
export const observedBlocksMax = 10_000;
export const emittedWaitingMax = 1_000;
/** How long a call that has ended waits for the guards of what it emitted. */
export const emittedWaitMs = 15_000;

/** Of the knowledge in a bundle's folders: pages, bytes of one and of all. What is beyond is left out with a notice. */
export const knowledgePagesMax = 2_000;
export const knowledgePageBytesMax = 1_000_000;
export const knowledgeBytesMax = 20_000_000;
/** Pages that are indexed before others have a turn. */
export const knowledgeChunkPages = 20;
/** Links that lead nowhere which are told one by one. */
export const knowledgeLinksShown = 20;

/** For `onPropsChanged`; what takes longer is told, and waited for no more. */
export const propsChangedMsMax = 10_000;
