/** Sids that one `so:` selector may name; the rest of a larger range is ignored. */
export const selectedSidsMax = 200;
/** Longest accepted path, in UTF-16 units. */
export const pathCharsMax = 2_000;

/** Blocks of other writers that the reply to an append contains. */
export const missedBlocksMax = 100;

/** One fact in the heading of an item, for example a path. */
export const factCharsMax = pathCharsMax;
/** The prompt shows only the beginning of a string parameter that is longer than this. */
export const paramCharsMax = 2_000;
export const paramPreviewChars = 600;
/** Keys and items that the prompt shows of one object or list in the parameters of a call. */
export const paramKeysMax = 80;
export const paramItemsMax = 50;
/** Nesting levels that the prompt shows of the parameters of a call. */
export const paramDepthMax = 8;
/** A result as its tool prepared it. Tools have their own limits; this one only protects the prompt. */
export const resultTextCharsMax = 180_000;
/** A result without a prepared text, as JSON. */
export const resultJsonCharsMax = 12_000;
export const attachmentPreviewCharsMax = 1_500;
export const eventPayloadCharsMax = 700;
/** A run of base64 characters of at least this length counts as encoded bytes, not as text. */
export const encodedRunCharsMin = 2_048;

/** Newest sources of pruned and compacted turns that SOURCES names. */
export const sourceRowsMax = 4;
export const sourceTitleCharsMax = 80;
export const sourceUrlCharsMax = 200;
/** Rows in the sources pool of one conversation. */
export const sourcesMax = 2_000;

/** The pre-tail checkpoint is this many rounds before the last round. */
export const checkpointOffsetRounds = 4;
export const checkpointRoundsMin = 2;
/** Number of parts, counted back from a mark and with its own part, in which a provider finds an earlier cache entry. */
export const cacheLookBackParts = 20;
/** Lifetime of a cache entry that is not read, unless its provider states another one. */
export const cacheEntryTtlMs = 300_000;
/** Providers without marks read the cache in steps; their tokenizer and ours differ by a share of a prompt. */
export const cacheStepTokens = 128;
export const cacheToleranceShare = 0.02;
/** Price of a token that is written to or read from a cache, relative to 1 for plain input. */
export const cacheWritePrice = 1.25;
export const cacheReadPrice = 0.1;

/** A path may be hidden only if at most this many tokens follow it. */
export const editableTailTokens = 2_000;

export const plansShownMax = 4;
export const liveEventsShownMax = 4;
export const liveEventCharsMax = 120;
export const liveEventFilesMax = 3;
export const announceRowsMax = 120;
export const announceRowCharsMax = 400;

/** Newest feedback that waits for the agent, and the characters that the prompt shows of each text. */
export const feedbackKeptMax = 16;
export const feedbackCharsShown = 240;
/** Newest feedback blocks that a store returns for one conversation. */
export const feedbackBlocksMax = 1_000;

export const planStepsMax = 40;
export const planStepCharsMax = 500;

/** Anchors of one working summary that are indexed. */
export const anchorsMax = 40;
export const anchorCharsMax = 160;
/** Rows in one section of a computed turn index, and the length of the hint and of the input in a row. */
export const indexRowsMax = 200;
export const indexHintCharsMax = 220;
export const indexInputCharsMax = 100;

/** Encrypted or signed reasoning is counted by its size. */
export const carryBytesPerToken = 4;
/** Tokens are counted in pieces, because the tokenizer takes quadratic time for text without breaks. */
export const tokenPieceChars = 1_000;

/** A cache counts as cold this long before its time to live ends, because clocks differ and a call takes time. */
export const cacheTtlBufferMs = 10_000;
/** Longest lifetime that is accepted if a provider was seen to keep entries beyond their time to live. */
export const cacheLifeMsMax = 3_600_000;
/** If a call read less than this share of what the previous call had cached, it read another cache entry. */
export const cacheAliveShareMin = 0.9;
/** A prune that saves less is not worth a cache break. */
export const pruneSavedTokensMin = 128;
/** A replacement that saves less is not made. */
export const replacementSavedTokensMin = 16;
/** The replacement of one item of a recent turn, and by how much it may exceed the item. */
export const replacementTokensMax = 240;
export const replacementExtraTokensMax = 64;
/** A result that is shortened field by field: the whole, a field, a text field of a tool, items, keys. */
export const prunedTextCharsMax = 4_000;
export const prunedFieldCharsMax = 1_000;
export const prunedToolTextCharsMax = 400;
export const prunedItemsMax = 50;
export const prunedKeysMax = 80;
/** The shorter forms if that is still too long: compact JSON, then single lines. */
export const compactCharsMax = 320;
export const compactItemsMax = 8;
export const compactKeysMax = 16;
export const keptLinesMax = 12;
/** Newest images of recent turns that stay in the prompt, and their total size in base64 characters. */
export const keptImagesMax = 2;
export const keptImagesCharsMax = 1_000_000;
/** The replacement of an old turn without a summary. */
export const prunedRowsMax = 40;
export const prunedHintCharsMax = 160;
export const prunedErrorCharsMax = 180;
export const prunedPlanLinesMax = 5;

/** Share of the available tokens that the prompt, and the memory in it, may fill after a compaction. */
export const compactKeptShare = 0.7;
export const memoryShare = 0.2;
/** Recent turns stay complete if the prompt with them fills at most this share. */
export const compactRecentShare = 0.8;
/** Share of the timeline that remains after a compaction forced by a provider. */
export const compactForcedShare = 0.5;
export const memoryTokensMax = 12_000;
/** The text that replaces covered rounds, as a share of the available tokens. */
export const coveredShare = 0.15;
export const coveredTokensMax = 8_000;
/** Messages of this length in an open turn may be cut: in tokens, and as a share of the available tokens. */
export const longEventTokens = 12_000;
export const longEventShare = 0.25;
export const longEventChars = 2_000;

/** A summary outside these bounds is not used. */
export const summaryCharsMin = 80;
export const summaryTokensMax = 1_200;
/** Characters per token in a summary full of paths and numbers; determines the length limit in the summary prompt. */
export const summaryCharsPerToken = 2;
/** Characters that a summary model reads of one message, one result and other work; the second value applies if the prompt is too long. */
export const briefSaidChars = [6_000, 1_000] as const;
export const briefResultChars = [4_000, 400] as const;
export const briefWorkChars = [1_000, 240] as const;
/** A text is cut for a summary prompt or a memory row only if at most this share of it remains. */
export const cutShareMax = 0.75;

export const keptNotesMax = 32;
export const keptNoteCharsMax = 600;
export const keptEventCharsMax = 1_000;
/** Newest events that a memory contains in full; earlier ones keep their beginning and their path. */
export const keptEventsWhole = 24;
export const keptHintChars = 160;
/** A shortened turn row: its time and its first words. */
export const keptTurnChars = 64;
export const keptPlansMax = 64;
/** Skills and knowledge that the text of covered rounds names. */
export const coveredSkillsShown = 12;
export const keptPulledMax = 200;
export const keptSourceChars = 400;
/** Rows of one kind in the full text of a memory, and earlier memories that it names. */
export const memoryRowsMax = 2_000;
export const earlierMemoriesMax = 16;

/** Characters of one result in the record that an answer is written from, and of one other text. */
export const traceResultCharsMax = 2_000;
export const traceEventCharsMax = 8_000;
/** Earlier turns that the record mentions, and the characters of each message. */
export const traceEarlierTurns = 3;
export const traceEarlierChars = 600;
/** Characters by which the record names the message whose language counts. */
export const traceQuestionChars = 200;
export const traceSourcesMax = 200;
