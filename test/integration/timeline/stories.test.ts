import { test } from 'vitest';
import { holdStories } from '../../runtime/timeline/stories/stories-checks.ts';

/** A long run sets another number, for example 100000. */
const rounds = Number(process.env['TIMELOOM_STORY_ROUNDS'] ?? 1_500);

// proves: timeline.stories
test(`over ${rounds} rounds with tools, files, steers, hides, prunes and compactions every promise about prompts holds`, {
  timeout: Math.max(60_000, rounds * 50),
}, () => {
  holdStories(rounds);
});
