import { expect, test } from 'vitest';
import { factor } from '../../../tools/runs.ts';
import { holdStories } from './stories-checks.ts';

// proves: i1.prompt-again, i5.prefix, timeline.checkpoints

test('some complete conversations satisfy every invariant of prompts', () => {
  const rounds = 60 * factor;
  expect(holdStories(rounds, 12)).toBeGreaterThanOrEqual(rounds);
});
