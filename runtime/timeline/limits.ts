/** Sids one `so:` selector may name; the rest of a wider range is left out. */
export const selectedSidsMax = 200;
/** Longest path that is parsed, in UTF-16 units. */
export const pathCharsMax = 2_000;

/** One fact in the heading of an item; a path is one. */
export const factCharsMax = pathCharsMax;
/** A string parameter of a call longer than this is shown by its beginning. */
export const paramCharsMax = 2_000;
export const paramPreviewChars = 600;
/** Keys and items of one object or list of a call's parameters that are shown. */
export const paramKeysMax = 80;
export const paramItemsMax = 50;
/** Nesting of a call's parameters that is shown. */
export const paramDepthMax = 8;
/** A result as its tool prepared it; tools have limits of their own, this one only guards the prompt. */
export const resultTextCharsMax = 180_000;
/** A result that nobody prepared, as JSON. */
export const resultJsonCharsMax = 12_000;
export const attachmentPreviewCharsMax = 1_500;
export const eventPayloadCharsMax = 700;
/** A run of base64 characters this long is encoded bytes, not text. */
export const encodedRunCharsMin = 2_048;

/** Sources of pruned and compacted turns that SOURCES names: the newest ones. */
export const sourceRowsMax = 4;
export const sourceTitleCharsMax = 80;
export const sourceUrlCharsMax = 200;
/** Rows the pool of one conversation holds. */
export const sourcesMax = 2_000;

/** Checkpoints by rounds: the pre-tail mark stands this many rounds before the last. */
export const checkpointOffsetRounds = 4;
export const checkpointRoundsMin = 2;
/** Parts, its own included, within which a provider finds an earlier entry from a mark. */
export const cacheLookBackParts = 20;
/** How long an entry lives that nobody reads, unless its provider says otherwise. */
export const cacheEntryTtlMs = 300_000;
/** Providers without marks read in steps; theirs and our tokenizer differ by a share of a prompt. */
export const cacheStepTokens = 128;
export const cacheToleranceShare = 0.02;
/** What a token costs, written to and read from a cache, where one that is merely sent costs 1. */
export const cacheWritePrice = 1.25;
export const cacheReadPrice = 0.1;

/** Tokens after a path within which it may still be hidden. */
export const editableTailTokens = 2_000;

export const plansShownMax = 4;
export const liveEventsShownMax = 4;
export const liveEventCharsMax = 120;
export const liveEventFilesMax = 3;
export const announceRowsMax = 120;
export const announceRowCharsMax = 400;

/** Turns whose feedback waits to be told: the newest; and of the words of each so much is shown. */
export const feedbackKeptMax = 16;
export const feedbackCharsShown = 240;
/** Words of feedback that a store gives of one conversation: the newest. */
export const feedbackBlocksMax = 1_000;

export const planStepsMax = 40;
export const planStepCharsMax = 500;

/** Anchors of one working summary that are indexed. */
export const anchorsMax = 40;
export const anchorCharsMax = 160;
/** Rows of one section of a computed turn index, and the length of a row's hint. */
export const indexRowsMax = 200;
export const indexHintCharsMax = 220;

/** Tokens are counted in pieces, because the tokenizer is quadratic in a run without a break. */
export const tokenPieceChars = 1_000;

/** A cache is taken for cold this long before its time to live is over: clocks differ, and a call takes a while. */
export const cacheTtlBufferMs = 10_000;
/** A provider that was seen to keep entries beyond the time to live is believed up to this. */
export const cacheLifeMsMax = 3_600_000;
/** A call that read less than this share of what the one before had cached has met another entry. */
export const cacheAliveShareMin = 0.9;
/** A prune that saves less is not worth a break. */
export const pruneSavedTokensMin = 128;
/** One replacement that saves less leaves the thing as it is. */
export const replacementSavedTokensMin = 16;
/** What stands for one thing of a recent turn, and how much longer than the thing itself it may be. */
export const replacementTokensMax = 240;
export const replacementExtraTokensMax = 64;
/** A result shortened field by field: the whole, a field, a field of a tool's text, items, keys. */
export const prunedTextCharsMax = 4_000;
export const prunedFieldCharsMax = 1_000;
export const prunedToolTextCharsMax = 400;
export const prunedItemsMax = 50;
export const prunedKeysMax = 80;
/** The same once more, where that is still too long: compact JSON, then single lines. */
export const compactCharsMax = 320;
export const compactItemsMax = 8;
export const compactKeysMax = 16;
export const keptLinesMax = 12;
/** Images of recent turns that stay: the newest, and their sum in base64 characters. */
export const keptImagesMax = 2;
export const keptImagesCharsMax = 1_000_000;
/** What stands for an old turn without a summary. */
export const prunedRowsMax = 40;
export const prunedHintCharsMax = 160;
export const prunedErrorCharsMax = 180;
export const prunedPlanLinesMax = 5;

/** After a compaction the prompt fills at most this part of its room; the memory in it at most the second. */
export const compactKeptShare = 0.7;
export const memoryShare = 0.2;
/** The recent turns stay whole if the prompt fills no more than this with them. */
export const compactRecentShare = 0.8;
/** What a compaction that a provider forced leaves of the timeline. */
export const compactForcedShare = 0.5;
export const memoryTokensMax = 12_000;
/** The rounds of an open turn in short, as a part of the room. */
export const coveredShare = 0.15;
export const coveredTokensMax = 8_000;
/** Messages in an open turn that are this long may be shown by their beginning: tokens, and as a part of the room. */
export const longEventTokens = 12_000;
export const longEventShare = 0.25;
export const longEventChars = 2_000;

/** A summary outside of these bounds is not used. */
export const summaryCharsMin = 80;
export const summaryTokensMax = 1_200;
/** Characters of a summary to a token where it is full of paths and numbers: what a model is told it may write. */
export const summaryCharsPerToken = 2;
/** What a summary model reads of one thing that was said, one result and other work; then again, if it is too much. */
export const briefSaidChars = [6_000, 1_000] as const;
export const briefResultChars = [4_000, 400] as const;
export const briefWorkChars = [1_000, 240] as const;
/** A text is cut for a brief or a row of a memory only if that leaves no more than this part of it. */
export const cutShareMax = 0.75;

export const keptNotesMax = 32;
export const keptNoteCharsMax = 600;
export const keptEventCharsMax = 1_000;
/** Events that a memory carries word for word; of the ones before, the beginning and the path. */
export const keptEventsWhole = 24;
export const keptHintChars = 160;
/** A turn for whose row there is no room: its time and its first words. */
export const keptTurnChars = 64;
export const keptPlansMax = 64;
/** Skills and knowledge that a compaction in mid-turn names. */
export const coveredSkillsShown = 12;
export const keptPulledMax = 200;
export const keptSourceChars = 400;
/** Rows of one kind that a memory text can name when it is read, and memories before it that it names. */
export const memoryRowsMax = 2_000;
export const earlierMemoriesMax = 16;
