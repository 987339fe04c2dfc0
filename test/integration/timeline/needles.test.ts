import { expect, test } from 'vitest';
import { isJsonObject } from '../../../runtime/base/json.ts';
import { agentDefaults } from '../../../runtime/sdk/contract/agent-settings.ts';
import { toConversationKey } from '../../../runtime/timeline/ids.ts';
import { openHarness } from '../../runtime/engine/kit/harness.ts';
import { type Fact, file, look, plant, wordOf } from './needle-facts.ts';
import { agentOf, recover } from './needle-recovery.ts';

const kinds = ['path', 'decision', 'number', 'ask', 'followup'] as const;
const rulesCount = 30;
const factsCount = 200;
const readsMax = 2;

/** 30 rules that are to stay in sight, and 170 facts of every other kind, two in each of a hundred turns. */
const facts: readonly Fact[] = Array.from({ length: factsCount }, (_, n) => {
  const kind = n % 6 === 5 && n < rulesCount * 6 ? 'rule' : (kinds[n % kinds.length] ?? 'ask');
  return { kind, key: wordOf(n + 150), value: `${wordOf(n + 700)}-${1_000 + n * 37}` };
});

// proves: compact.needles
test('two hundred facts outlive more than five compactions: what is pinned in sight, the rest two reads away', async () => {
  const turns = Array.from({ length: factsCount / 2 }, (_, turn) => {
    const [first, second] = facts.slice(turn * 2, turn * 2 + 2);
    return plant(turn, [first, second] as [Fact, Fact]);
  });
  const summaries = Array.from({ length: 100 }, () => ({
    role: 'summary' as const,
    raw: 'Active work: the books of the harbour, one thing after the other. Nothing else is known.',
  }));
  await using desk = await openHarness(
    [...turns.flatMap(({ replies }) => replies), { answer: 'Ready.' }, ...summaries],
    {
      agent: { context: { ...agentDefaults.context, maxTokens: 32_000 } },
      tools: [look, file],
    },
  );
  let key = toConversationKey(0);
  for (const [index, { prompt, followup }] of turns.entries()) {
    key = (await desk.say(prompt)).key ?? key;
    if (followup) {
      await desk.model.held(followup.hold);
      await desk.say(followup.text, { kind: 'followup' });
      desk.model.release(followup.hold);
    }
    await desk.closed(index + 1);
  }
  await desk.say('What do you still know?');
  const blocks = await desk.closed(turns.length + 1);
  const compactions = blocks.filter(
    ({ type, data }) =>
      type === 'compact.close' && isJsonObject(data) && data['status'] === 'completed',
  );
  expect(compactions.length).toBeGreaterThanOrEqual(5);

  const agent = await agentOf(desk, key);
  const found = new Map<Fact, number | undefined>();
  for (const fact of facts) found.set(fact, await recover(agent, fact, readsMax));
  const rules = facts.filter(({ kind }) => kind === 'rule');
  for (const { key: of, value } of rules) {
    expect(agent.prompt).toContain(`[P] For ${of} always ${value}.`);
  }
  const others = facts.filter(({ kind }) => kind !== 'rule');
  const recovered = others.filter((fact) => found.get(fact) !== undefined);
  process.stdout.write(`${report(found, compactions.length)}\n`);
  expect(recovered.length / others.length).toBeGreaterThanOrEqual(0.99);
});

function report(found: ReadonlyMap<Fact, number | undefined>, compactions: number): string {
  const rows = [...new Set([...found.keys()].map(({ kind }) => kind))].map((kind) => {
    const reads = [...found].filter(([fact]) => fact.kind === kind).map(([, count]) => count);
    const counts = [0, 1, 2, undefined].map((n) => reads.filter((each) => each === n).length);
    return `${kind}: ${reads.length} facts; in sight ${counts[0]}, one read ${counts[1]}, two ${counts[2]}, lost ${counts[3]}`;
  });
  return [`needles after ${compactions} compactions`, ...rows].join('\n');
}
