/** Parts of one message. */
export const partsMax = 100;
/** Characters of the id of a task. */
export const taskIdCharsMax = 300;
