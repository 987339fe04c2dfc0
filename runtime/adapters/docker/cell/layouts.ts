import { startCombined } from './combined.ts';
import { startSplit } from './split.ts';

/** Two containers for each execution, or one, which is weaker and for hosts that cannot have two. */
export const layouts = {
  split: { stand: startSplit, backend: 'docker' },
  combined: { stand: startCombined, backend: 'docker-combined' },
} as const;
