/** Parts of one message. */
export const partsMax = 100;
/** Characters of the id of a task. */
export const taskIdCharsMax = 300;
/** Tasks of one page of a list, and contexts whose tasks a list without a context has. */
export const listedTasksMax = 100;
export const listedContextsMax = 20;
