import { test } from 'vitest';
import { factor } from '../../tools/runs.ts';
import { holdStories } from './stories-checks.ts';

// proves: i1.prompt-again, i5.prefix, timeline.checkpoints

test('a few whole conversations keep every promise about prompts', () => {
  holdStories(60 * factor, 12);
});
