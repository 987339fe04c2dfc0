import { expect, test } from 'vitest';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { add, agentWith, openHarness } from '../kit/harness.ts';

// proves: i5.declared

const replies = Array.from({ length: 5 }, (_, n) => ({ answer: `Answer ${n}.` }));

test('a change of instruction or tools between two turns is declared once, before the first round that uses it', async () => {
  await using harness = await openHarness(replies);
  const agents = [
    agentWith(),
    agentWith({ instruction: 'Help shortly.' }),
    agentWith({ instruction: 'Help shortly.', tools: [] }),
    agentWith({ instruction: 'Help shortly.', tools: [], revision: 'r2' }),
    agentWith({ instruction: 'Help.', tools: [add], revision: 'r3' }),
  ];
  let blocks: readonly Block[] = [];
  for (const [index, agent] of agents.entries()) {
    Object.assign(harness.engine, { agent: () => agent });
    await harness.say('Again?');
    blocks = await harness.closed(index + 1);
  }
  const declared = blocks.filter(({ type }) => type === 'cache.break');
  expect(declared.map(({ data }) => isJsonObject(data) && data['cause'])).toEqual([
    'instruction',
    'catalogue',
    'catalogue',
  ]);
  for (const { seq } of declared) expect(blocks[seq]?.type).toBe('round.open');
});
