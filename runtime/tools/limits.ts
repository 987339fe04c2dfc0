/** Characters of a result the model reads, unless its tool says otherwise. */
export const resultCharsDefault = 12_000;
/** The same of all results of a turn that stand in the prompt: 40,000 tokens of four characters. Then each shows so many. */
export const turnResultsCharsMax = 160_000;
export const spentResultChars = 2_000;
/** Characters of JSON kept inside a result block; a longer one becomes a blob. */
export const inlineRetCharsMax = 12_000;
export const shapeDepthMax = 4;
export const shapeEntriesMax = 10;
/** Characters of the message of an error that nobody expected. */
export const errorCharsMax = 500;
/** How often a model's input is mended before it is refused. */
export const coercionRoundsMax = 4;
export const violationsMax = 20;
/** Of an unknown parameter's name, and how many known ones are told beside it. */
export const unknownParamCharsMax = 80;
export const knownNamesMax = 20;
/** `ref:` parameters of one call, and characters of what stands at one. */
export const refsMax = 20;
export const refCharsMax = 2_000_000;
export const toolTimeoutDefaultMs = 60_000;
/** How long a person is waited for before a call, and a client that performs one, unless the tool says otherwise. */
export const approvalTimeoutMs = 120_000;
export const externalTimeoutMs = 300_000;
/** No call waits longer, whatever its tool says. */
export const waitMsMax = 24 * 60 * 60 * 1000;
export const questionTitleCharsMax = 200;
export const questionDetailCharsMax = 4_000;
/** How long all hooks together may take before one call; then it is refused. */
export const admissionMsMax = 120_000;
/** How long a stopped tool may take to notice, before its result is written without it. */
export const stopGraceMs = 2_000;
/** The same for a program: it is killed, and its files are collected. */
export const execStopGraceMs = 20_000;
/** How long keeping a large result may take. */
export const keepResultMs = 30_000;

export const filePathCharsMax = 400;
/** Bytes of a file that a tool writes; a program can ask for as many. */
export const fileBytesMax = 1024 ** 3;
/** Bytes of a file that a tool takes into memory at once; of a larger one it reads a stream. */
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
/** Characters of JSON that one call may return; a longer value becomes a file, written in chunks of so many. */
export const retCharsMax = 16_000_000;
/** Of what the catalogue says a tool returns. */
export const returnsCharsMax = 600;
export const resultChunkChars = 256 * 1024;
/** Characters of JSON that one turn of the event loop indents. */
export const jsonTurnChars = 128 * 1024;
/** Blocks of another log that are folded to answer one computed path. */
export const logBlocksMax = 50_000;
export const logPageBlocks = 1_000;
/** How long a search waits for what its query means, before it goes by the words alone. */
export const embedQueryMsMax = 3_000;

/** Of `type/subtype`, as files and canvases have it. */
export const mimeCharsMax = 200;

/** Of a path that leads nowhere, when it is named. */
export const missingPathChars = 300;
/** Files beyond this are not opened for reading. */
export const readBytesMax = 10 * 1024 * 1024;
