/** Between two looks for what operators have set of bundles in another process. */
export const livePropsPollMs = 2_000;
