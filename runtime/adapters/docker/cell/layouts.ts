import { startCombined } from './combined.ts';
import { startSplit } from './split.ts';

/** Two containers for each execution, or one: weaker isolation, for hosts that cannot run two. */
export const layouts = {
  split: { startContainers: startSplit, backend: 'docker' },
  combined: { startContainers: startCombined, backend: 'docker-combined' },
} as const;
