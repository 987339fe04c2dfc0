/** Poll interval for props that operators set in another process. */
export const livePropsPollMs = 2_000;
