/** Characters of an unexpected error's message, as the model reads it. */
/** Files that a bundle puts into the workspace of an agent program, and their bytes in all. */
export const workspaceSeedsMax = 500;
export const workspaceSeedBytesMax = 16 * 1024 * 1024;
export const failureCharsMax = 500;
/** Models that users may choose from, for one agent. */
export const modelChoicesMax = 20;
/** Messages that the chat page offers for an agent, and characters of each. */
export const firstMessagesMax = 6;
export const firstMessageCharsMax = 200;
/** An agent whose context has at most this number of tokens works in a small window. */
export const smallWindowTokensMax = 12_000;
/** Repairs in a row that `malformed: { repair }` may allow. */
export const repairsMax = 10;
/** Characters of JSON one bundle tool may return. */
export const resultCharsMax = 4_000_000;
/** Steps of a cumulative tool that are shown as they come; then each step has at least this number of characters. */
export const cumulativeSteps = 100;
export const cumulativeStepChars = 1_000;

/** Time limit of one operation: the default and the maximum. */
export const operationTimeoutMs = 30_000;
export const operationTimeoutMsMax = 300_000;
/** Bytes of an operation's request body and of its response. */
export const operationBodyBytesMax = 1024 * 1024;
export const operationAnswerBytesMax = 4 * 1024 * 1024;

/** Bytes of a queued job input as JSON, and characters of its key. */
export const jobInputBytesMax = 64 * 1024;
export const jobKeyCharsMax = 400;
/** Longest delay of a queued job: one year. */
export const jobDelayMsMax = 365 * 86_400_000;
/** Time limit of one job run: the default and the maximum. */
export const jobTimeoutMs = 300_000;
export const jobTimeoutMsMax = 3_600_000;
/** Attempts of a queued job: the default and the maximum. */
export const jobAttempts = 3;
export const jobAttemptsMax = 20;
/** Characters of a failed run's error message that are stored. */
export const jobErrorCharsMax = 2_000;

export const mcpServersMax = 16;
/** Default time limit of one call to an MCP server. */
export const mcpTimeoutMs = 60_000;

export const storageKeyCharsMax = 400;
/** Characters of JSON of one stored value. */
export const storageValueCharsMax = 256_000;
/** Keys of one space: of a bundle, of one of its users or of a conversation. */
export const storageKeysMax = 10_000;
/** A hundred years. */
export const storageTtlMsMax = 100 * 365 * 86_400_000;

/** Maximum output tokens that a model option may allow; the runtime never requests more. */
export const maxOutputTokensMax = 8_000;

/** Characters of a secret that a user sets. */
export const userSecretCharsMax = 16_384;
/** Shorter secrets are not masked, because masking them would hide ordinary text. */
export const maskedCharsMin = 6;

export const skillsPerBundleMax = 200;
export const skillTextCharsMax = 64_000;
export const skillNameCharsMax = 64;
export const skillDescriptionCharsMax = 1_024;
/** Arguments of a skill, characters of the name and of the description of each, and the values that it suggests. */
export const skillArgumentsMax = 20;
export const skillArgumentNameCharsMax = 64;
export const skillArgumentDescriptionCharsMax = 500;
export const skillArgumentValuesMax = 1_000;
export const skillArgumentValueCharsMax = 200;
export const skillFileBytesMax = 2_000_000;
export const instructionCharsMax = 64_000;

export const hooksPerBundleMax = 50;
/** Time limit of one guard, transformer or observer. A guard that exceeds it refuses. */
export const hookTimeoutMs = 15_000;
/** Characters of JSON that a transformer may return for an event, input or answer. The limit for a result is `resultCharsMax`. */
export const hookValueCharsMax = 400_000;
/** Blocks waiting for observers, and emitted events waiting for their guards. The rest is dropped and reported. */
export const observedBlocksMax = 10_000;
export const emittedWaitingMax = 1_000;
/** How long a finished call waits for the guards of the events it emitted. */
export const emittedWaitMs = 15_000;

/** Knowledge in a bundle's folders: number of pages, bytes per page, bytes in total. Pages beyond are skipped with a notice. */
export const knowledgePagesMax = 2_000;
export const knowledgePageBytesMax = 1_000_000;
export const knowledgeBytesMax = 20_000_000;
/** Pages indexed at a time before other work runs. */
export const knowledgeChunkPages = 20;
/** Broken links that are reported individually. */
export const knowledgeLinksShown = 20;

/** Characters of JSON that the props of one user may have, in one bundle. */
export const userPropsCharsMax = 16_384;

/** Time limit of `onPropsChanged`. A slower one is reported and no longer awaited. */
export const propsChangedMsMax = 10_000;
/** Facts of the long-term memory in one prompt. */
export const memoryFactsMax = 30;

/** Levels of agents below one agent. */
export const delegationDepthMax = 3;
/** Steps of a plan that run at the same time. */
export const sideBySideMax = 8;
