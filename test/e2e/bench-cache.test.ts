import { expect, test } from 'vitest';
import { cacheFigures } from '../bench/cache/bench.ts';

// proves: cache.hit-rate, cache.cost
test('50 turns have the promised hits, explained misses and costs on a counting provider', async () => {
  const figures = await cacheFigures(50);
  const of = (id: string) => {
    const found = figures.find((each) => each.id === `cache.${id}`);
    if (!found) throw new Error(`no figure ${id}`);
    return found;
  };
  expect(of('missed_steady_50_turns_vs_transcript').ours).toBeLessThan(0.03);
  expect(of('missed_50_turns_vs_transcript').ours).toBeLessThan(0.1);
  expect(of('explained_50_turns_vs_missed').ratio).toBe(1);
  expect(of('missed_steady_50_turns_messages_vs_text').ours).toBeLessThan(0.03);
  expect(of('cost_50_turns_messages_vs_text').ratio).toBeLessThan(1.25);
  expect(of('cost_50_turns_vs_no_marks').ratio).toBeLessThan(0.25);
  expect(of('cost_50_turns_vs_one_mark').ratio).toBeLessThan(1);
  expect(of('cost_50_turns_vs_rolling_transcript').ratio).toBeLessThan(0.75);
  expect(of('cost_50_turns_vs_plain_transcript').ratio).toBeLessThan(0.25);
  expect(of('cost_50_turns_vs_plain_transcript_automatic').ratio).toBeLessThan(0.75);
});
