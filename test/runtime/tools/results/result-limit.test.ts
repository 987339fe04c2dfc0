import { expect, test } from 'vitest';
import { z } from 'zod';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import {
  resultCharsDefault,
  spentResultChars,
  turnResultsCharsMax,
} from '../../../../runtime/tools/limits.ts';
import { readTool } from '../../../../runtime/tools/react/read/read.ts';
import { openWorld, turn } from '../kit.ts';

const flood = createTool({
  id: 'data.flood',
  description: 'Gives much.',
  kind: 'bundle',
  traits: ['exploration'],
  input: z.object({}),
  run: async () => ({ result: { ok: true, ret: 'much of it '.repeat(1_050) } }),
});

// proves: tools.result-room
test('once the results of a turn use up their shared limit, further results show only their beginning', async () => {
  const world = await openWorld();
  const lengths: number[] = [];
  for (let shown = 0; shown < turnResultsCharsMax; ) {
    const { preview } = await world.perform(flood, {});
    lengths.push(preview.length);
    shown += preview.length;
  }
  expect(lengths[0]).toBeGreaterThan(resultCharsDefault * 0.9);
  const spent = await world.perform(flood, {}, { call: toCallId('tc_spent') });
  expect(spent.preview.length).toBeLessThanOrEqual(spentResultChars);
  expect(spent.preview).toContain('paths: ["tc:t2.c15.result"]');
  const read = await world.perform(readTool, { paths: [`tc:${turn}.tc_spent.result`] });
  expect(read.preview.length).toBeGreaterThan(resultCharsDefault * 0.9);
  const hides = ['tc_1', 'tc_2', 'tc_3'].map((call) => ({
    turn,
    type: 'view.hide',
    author: 'agent' as const,
    data: { path: `tc:${turn}.${call}.result`, replacement: 'much', cause: 'react.hide' },
  }));
  await world.append(hides);
  const after = await world.perform(flood, {});
  expect(after.preview.length).toBeGreaterThan(spentResultChars);
});
