export const contractItemsMax = 64;
export const contractDescriptionCharsMax = 500;
export const programNameCharsMax = 100;
export const inputsMax = 500;
/** How many paths a hint lists. */
export const pathsNamedMax = 20;

/** Default limits of a program, unless the agent sets others. */
export const programTimeoutDefaultMs = 60_000;
export const programMemoryDefaultMb = 512;
export const programFileDefaultMb = 64;
export const programWorkspaceMb = 256;
export const programProcesses = 64;
/** Upper limit of the time of any program. */
export const programTimeoutMaxMs = 900_000;
/** Limit of the whole execution: the longest program plus time to prepare and to collect. */
export const executionDeadlineMs = 1_200_000;

/** Characters of program output in one live piece: as JSON, a character can take six, and the limit of a piece is 64,000. */
export const outputPieceChars = 10_000;
/** Characters of the preview of a file in the result of its program. */
export const resultPreviewChars = 1_000;
/** How many calls of a program its result lists. */
export const callsListedMax = 200;
/** Characters of one text that a program fetches from the timeline. */
export const fetchedCharsMax = 4_000_000;
export const reportChars = 28_000;
/** How long a known outcome waits, so that one write to the journal covers several. */
export const journalDelayMs = 20;
/** Time limit for closing a journal, whatever the store does. */
export const journalCloseMs = 2_000;
/** Longer inputs are not kept in the journal, so another worker cannot repeat their calls. */
export const journalInputCharsMax = 64_000;
/** How many calls in doubt are repeated concurrently. */
export const repeatsAtOnceMax = 16;
/** How many calls of a lost program are listed individually, per category. */
export const callsNamedMax = 20;
export const inputShownChars = 120;
/** How many scripts of bundles run concurrently; the next one waits, within the time limit of its call. */
export const scriptsAtOnceMax = 8;
/** Characters of a script of a bundle; its input can use the rest of the limit for programs. */
export const scriptCharsMax = 256 * 1024;
/** Characters shown of the end of a failed script's traceback. */
export const traceChars = 2_000;
