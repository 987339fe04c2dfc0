/** Lines of a program, of its output or of a canvas. */
export const linesShown = 12;
/** Rows that one of these lines may take. */
export const rowsOfLineShown = 4;
/** Columns of text, however wide the terminal is. */
export const textColumnsMax = 100;
/** Columns of text in a very narrow terminal. */
export const textColumnsMin = 20;
