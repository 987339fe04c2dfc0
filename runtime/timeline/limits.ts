/** Sids one `so:` selector may name; the rest of a wider range is left out. */
export const selectedSidsMax = 200;
/** Longest path that is parsed, in UTF-16 units. */
export const pathCharsMax = 2_000;

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
export const sourceRowsMax = 20;
export const sourceTitleCharsMax = 36;
export const sourceUrlCharsMax = 120;
/** Rows the pool of one conversation holds. */
export const sourcesMax = 2_000;

/** Checkpoints by rounds: the pre-tail mark stands this many rounds before the last. */
export const checkpointOffsetRounds = 4;
export const checkpointRoundsMin = 2;

/** Tokens after a path within which it may still be hidden. */
export const editableTailTokens = 2_000;

export const plansShownMax = 4;
export const liveEventsShownMax = 4;
export const liveEventCharsMax = 120;
export const liveEventFilesMax = 3;
export const announceRowsMax = 120;
export const announceRowCharsMax = 400;

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
