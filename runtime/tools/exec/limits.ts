export const contractItemsMax = 64;
export const contractDescriptionCharsMax = 500;
export const programNameCharsMax = 100;
export const inputsMax = 500;
/** Of files that were too large for a copy, how many are named. */
export const pathsNamedMax = 20;

/** Inner limits of a program, where the agent says nothing else. */
export const programTimeoutDefaultMs = 60_000;
export const programMemoryDefaultMb = 512;
export const programFileDefaultMb = 64;
export const programWorkspaceMb = 256;
export const programProcesses = 64;
/** No program runs longer, whatever it was given. */
export const programTimeoutMaxMs = 900_000;
/** Outer limit of the whole execution: room to prepare and to collect beside the longest program. */
export const executionDeadlineMs = 1_200_000;

/** Characters of program output in one live piece: as JSON a character may be six, and 64,000 pass. */
export const outputPieceChars = 10_000;
/** Of the beginning of a file in the result of its program. */
export const resultPreviewChars = 1_000;
/** Calls of a program that its result lists. */
export const callsListedMax = 200;
/** Characters of one thing a program fetches from the timeline. */
export const fetchedCharsMax = 4_000_000;
export const reportChars = 28_000;
/** A known outcome waits so long for company on its way into the journal. */
export const journalDelayMs = 20;
/** Closing a journal takes no longer, whatever the store does. */
export const journalCloseMs = 2_000;
/** A longer input is not kept in the journal: its call cannot be repeated by another worker. */
export const journalInputCharsMax = 64_000;
/** Calls in doubt that are repeated at a time. */
export const repeatsAtOnceMax = 16;
/** Calls of a lost program that the model is told of one by one, of each sort. */
export const callsNamedMax = 20;
export const inputShownChars = 120;
/** Scripts of bundles that run at the same time; the next waits, within the time of its call. */
export const scriptsAtOnceMax = 8;
/** Characters of a script of a bundle; its input has the rest of what a program may have. */
export const scriptCharsMax = 256 * 1024;
/** Of the end of a failed script's traceback, as the model reads it. */
export const traceChars = 2_000;
