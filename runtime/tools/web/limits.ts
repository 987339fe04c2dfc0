/** Hits of a search, by the size that the model asks for. */
export const hitsBySize = { small: 5, medium: 10, large: 20 } as const;
/** Characters of a page that the model sees, by size. */
export const pageCharsBySize = { small: 4_000, medium: 12_000, large: 32_000 } as const;
export const queryCharsMax = 400;
export const urlCharsMax = 2_000;
/** Age of pages that a search may ask for, in days. */
export const daysMax = 3_650;
/** Characters of a snippet in the result of a search. */
export const snippetCharsMax = 600;
export const searchTimeoutMs = 30_000;
export const fetchTimeoutMs = 60_000;
/** Calls of each tool in a turn. */
export const searchesPerTurnMax = 20;
export const fetchesPerTurnMax = 40;
