export const hideReplacementCharsMax = 4_000;

/** How many pages a knowledge search shows by default, and at most. */
export const knowledgeHitsDefault = 5;
export const knowledgeHitsMax = 20;
export const knowledgeQueryCharsMax = 500;
/** Characters of the summary of each page. */
export const knowledgeSummaryChars = 300;

/** Steps of a plan, characters of an id, of a task and of a goal, and the bytes of a whole plan. */
export const planStepsMax = 24;
export const stepIdCharsMax = 40;
export const stepTaskCharsMax = 8_000;
export const planGoalCharsMax = 4_000;
export const planBytesMax = 64 * 1024;
/** Plans that follow the first one in a turn. */
export const replansMax = 3;
/** Characters of the answer of a step that the caller is shown, and of one that other steps have read. */
export const stepAnswerChars = 4_000;
export const readAnswerChars = 500;
/** Characters of the result of a plan that the model reads. */
export const planResultCharsMax = 24_000;
/** How long a turn waits for a task by default and at most, in seconds. */
export const taskWaitSeconds = 60;
export const taskWaitSecondsMax = 3_600;
