/** Poll interval for props that operators set in another process. */
export const livePropsPollMs = 2_000;

/** How long a process still counts as used after its last client has left and its last turn has ended. */
export const presenceMs = 300_000;
