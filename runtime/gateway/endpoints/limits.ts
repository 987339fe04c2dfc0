/** How often a stream looks for the conversation of an agent that has just been given a call. */
export const delegatePollMs = 100;
/** Agents whose place a poll remembers. */
export const pollPlacesMax = 64;
