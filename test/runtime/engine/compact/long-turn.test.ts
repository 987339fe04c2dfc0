import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import { agentDefaults } from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { countTokens } from '../../../../runtime/timeline/tokens.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { openHarness } from '../kit/harness.ts';

const long = 'The harbour was quiet and the lamps were lit one by one. '.repeat(24);
const rule = '[P] "Always in Fahrenheit."';

const search = createTool({
  id: 'town.search',
  description: 'Searches the town.',
  kind: 'bundle',
  traits: ['exploration'],
  input: z.object({ n: z.number() }),
  run: async ({ n }) => ({ result: { ok: true, ret: `Result ${n}: ${long.repeat(10)}` } }),
});

/** One turn of many rounds, each of which says what step it is; `raw` is what the summary model answers. */
async function longTurn(rounds: number, raw: (n: number) => string) {
  const looks: readonly Reply[] = Array.from({ length: rounds }, (_, n) => ({
    thinking: 'Look further.',
    call: { tool: 'town.search', input: { n }, notes: `Step ${n} of the way` },
    ...(n === 0 ? { internal: rule } : {}),
  }));
  const sums = Array.from({ length: rounds }, (_, n) => ({
    role: 'summary' as const,
    raw: raw(n),
  }));
  await using harness = await openHarness([...looks, ...sums, { answer: 'All seen.' }], {
    agent: {
      context: { ...agentDefaults.context, maxTokens: 30_000 },
      budgets: { ...agentDefaults.budgets, rounds: rounds + 6 },
    },
    tools: [search],
  });
  await harness.say('Look at everything');
  const blocks = await harness.closed();
  const { requests } = harness.model;
  const asked = requests.filter(({ role }) => role === 'summary').map(({ text = '' }) => text);
  const prompt = requests.at(-1)?.text ?? '';
  const [, covered = ''] = /\[MID-TURN COMPACTION\] (.*?)\[END OF/s.exec(prompt) ?? [];
  return { blocks, asked, prompt, covered };
}

const summaryOf = (n: number) =>
  `Open after the last round:\nThe lamps after number ${n}.\nDone:\nSummary ${n}, lamp by lamp, as the town asked.`;

// proves: compact.mid-turn
test('a turn that outgrows its prompt continues from a ledger of its own rounds', async () => {
  const { blocks, prompt, asked } = await longTurn(14, summaryOf);
  const ends = of(blocks, 'compact.close');
  expect(ends.length).toBeGreaterThan(1);
  for (const end of ends) expect(end).toMatchObject({ kind: 'current_turn_prefix', turns: 0 });
  expect(prompt).toContain('Look at everything');
  expect(prompt).toMatch(/\[MID-TURN COMPACTION\] rounds 1 to \d+/);
  expect(prompt).toContain(`.react.note.1 ${rule}\n`);
  for (const sent of asked) expect(sent).toContain(`Notes that the agent still sees:\n- ${rule}\n`);
  const calls = blocks.filter(({ type }) => type === 'react.tool.call');
  const shown = calls.filter((_, n) => prompt.includes(`:t1.c${n + 1}.result`));
  expect(shown).toHaveLength(14);
  expect(of(blocks, 'turn.close')).toMatchObject([{ reason: 'completed', text: 'All seen.' }]);
  expect(foldAll(emptyView, blocks).turns[0]?.rounds).toHaveLength(15);
  expect(verify(blocks)).toEqual([]);
});

// proves: compact.continues
test('a summary of rounds continues the one before it, and a summary model reads only the rounds since', async () => {
  const { asked, covered, blocks } = await longTurn(20, summaryOf);
  const ends = of(blocks, 'compact.close').flatMap(({ status, rounds }) =>
    status === 'completed' ? [Number(rounds)] : [],
  );
  expect(ends.length).toBeGreaterThan(2);
  const fresh = ends.map((end, n) => range(ends[n - 1] ?? 0, end));
  // A compaction that lost its lease asks again.
  const read = new Set(asked.map((sent) => JSON.stringify(stepsIn(sent))));
  expect([...read]).toEqual(fresh.map((steps) => JSON.stringify(steps)));
  const [first = '', ...later] = asked;
  expect(first).not.toContain('The summary so far.');
  for (const sent of later) {
    expect(sent).toMatch(/The summary so far\..*Summary \d+, lamp by lamp/s);
    expect(countTokens(sent)).toBeLessThan(1.2 * countTokens(first));
  }
  expect(covered.match(/Summary \d+, lamp by lamp/g)).toHaveLength(1);
});

// proves: compact.continues
test('without a summary model the text keeps the last summary, adds what is new, and says nothing twice', async () => {
  const { asked, covered, blocks } = await longTurn(20, (n) => (n === 1 ? summaryOf(n) : ' '));
  expect(asked.length).toBeGreaterThan(2);
  expect(covered).toContain('Open after the last round:\nThe lamps after number 1.\n');
  const steps = [...covered.matchAll(/Step (\d+) of the way/g)].map(([, step]) => Number(step));
  expect(steps).toEqual([...new Set(steps)]);
  const made = blocks.filter(({ type }) => type === 'view.compact');
  for (const { text = '' } of made) expect(countTokens(text)).toBeLessThan(3_000);
});

function stepsIn(sent: string): readonly number[] {
  return [...sent.matchAll(/\[NOTES\]\nStep (\d+) of the way\n/g)].map(([, step]) => Number(step));
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, n) => from + n);
}

function of(blocks: readonly Block[], type: string): readonly JsonObject[] {
  return blocks.flatMap((block) =>
    block.type === type && isJsonObject(block.data) ? [block.data] : [],
  );
}
