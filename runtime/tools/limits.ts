/** Characters of a result the model reads, unless its tool says otherwise. */
export const resultCharsDefault = 12_000;
/** The same for all results of a turn in the prompt together: 40,000 tokens of four characters. Beyond that, each result shows `spentResultChars`. */
export const turnResultsCharsMax = 160_000;
export const spentResultChars = 2_000;
/** Characters of JSON kept inside a result block; longer JSON becomes a blob. */
export const inlineRetCharsMax = 12_000;
export const shapeDepthMax = 4;
export const shapeEntriesMax = 10;
/** Characters of the message of an unexpected error. */
export const errorCharsMax = 500;
/** How many rounds of coercion a model's input gets before it is refused. */
export const coercionRoundsMax = 4;
export const violationsMax = 20;
/** Characters shown of the name of an unknown parameter, and how many known names are listed beside it. */
export const unknownParamCharsMax = 80;
export const knownNamesMax = 20;
/** `ref:` parameters per call, and characters of the text at each path. */
export const refsMax = 20;
export const refCharsMax = 2_000_000;
export const toolTimeoutDefaultMs = 60_000;
/** How long to wait for an approval, and for a client that runs a call, unless the tool sets its own timeout. */
export const approvalTimeoutMs = 120_000;
export const externalTimeoutMs = 300_000;
/** Upper limit of every such wait, whatever the tool sets. */
export const waitMsMax = 24 * 60 * 60 * 1000;
export const questionTitleCharsMax = 200;
export const questionDetailCharsMax = 4_000;
/** How long all hooks of one call together may take; then the call is refused. */
export const admissionMsMax = 120_000;
/** Grace period of a stopped tool; afterwards its result is recorded without waiting for it. */
export const stopGraceMs = 2_000;
/** The same for a program, which has to be killed and its files collected. */
export const execStopGraceMs = 20_000;
/** How long storing a large result may take. */
export const keepResultMs = 30_000;

export const filePathCharsMax = 400;
/** Maximum size of a file that a tool writes or a program requests. */
export const fileBytesMax = 1024 ** 3;
/** Maximum size of a file that a tool loads into memory; larger files are streamed. */
export const heldFileBytesMax = 100 * 1024 * 1024;
export const filesPerCallMax = 200;
export const progressPerCallMax = 200;
export const progressCharsMax = 4_000;
export const livePiecesPerCallMax = 20_000;
export const liveCharsMax = 64_000;
export const canvasCharsMax = 1_000_000;
export const canvasesPerCallMax = 20;
export const noteCharsMax = 4_000;
export const sourceTextCharsMax = 20_000;
export const sourcesPerCallMax = 200;
/** Characters of JSON that one call may return; a longer value becomes a file. */
export const retCharsMax = 16_000_000;
/** Characters of the `returns` line of a tool in the catalogue. */
export const returnsCharsMax = 600;
/** Size of the chunks in which a large result is written. */
export const resultChunkChars = 256 * 1024;
/** Characters of JSON that one turn of the event loop indents. */
export const jsonTurnChars = 128 * 1024;
/** Blocks of another log to fold for one computed path. */
export const logBlocksMax = 50_000;
export const logPageBlocks = 1_000;
/** How long a search waits for the embedding of its query before it uses words only. */
export const embedQueryMsMax = 3_000;

/** Of the type (`type/subtype`) of a file or canvas. */
export const mimeCharsMax = 200;

/** Characters shown of a path that does not exist. */
export const missingPathChars = 300;
/** Larger files are not opened for reading. */
export const readBytesMax = 10 * 1024 * 1024;

/** An agent with more tools than this shows only the ones chosen for a turn, at most this many. */
export const toolsShownMax = 12;
export const selectedToolsMax = 6;
/** Characters of the line that describes one tool where many are listed. */
export const toolLineChars = 80;
/** Characters of tool descriptions in one block or result. */
export const describedCharsMax = 40_000;
/** Tools named to a model that called one which does not exist. */
export const nearestToolsShown = 3;
/** Tools and groups that one call switches. */
export const switchedMax = 40;

/** A shorter Markdown text is shown to the model as it is. */
export const pageCharsMin = 1_000;
/** Bytes of the response of a dispatched tool, and characters of an error response that the model is shown. */
export const dispatchBytesMax = 4_000_000;
export const dispatchErrorChars = 200;
