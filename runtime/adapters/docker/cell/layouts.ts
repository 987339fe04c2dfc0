import { standTogether } from './combined.ts';
import { standApart } from './split.ts';

/** Two containers for each execution, or one, which is weaker and for hosts that cannot have two. */
export const layouts = {
  split: { stand: standApart, backend: 'docker' },
  combined: { stand: standTogether, backend: 'docker-combined' },
} as const;
