import { expect, test } from 'vitest';
import type { Reply } from '../../../runtime/adapters/models/scripted/reply.ts';
import { isJsonObject } from '../../../runtime/base/json.ts';
import { agentDefaults } from '../../../runtime/sdk/contract/agent-settings.ts';
import { toConversationKey } from '../../../runtime/timeline/ids.ts';
import { openHarness } from '../../runtime/engine/kit/harness.ts';
import { type Fact, file, look, wordOf } from './needle-facts.ts';
import { agentOf, recover } from './needle-recovery.ts';

const kinds = ['number', 'path', 'decision', 'rule', 'followup'] as const;
const factsCount = 60;
const rulesCount = 8;
const readsMax = 2;

/** A fact for each round of one long turn. */
const facts: readonly Fact[] = Array.from({ length: factsCount }, (_, n) => {
  const next = kinds[n % kinds.length] ?? 'number';
  const kind = next === 'rule' && n >= rulesCount * kinds.length ? 'number' : next;
  return { kind, key: wordOf(n + 150), value: `${wordOf(n + 700)}-${1_000 + n * 37}` };
});

function roundOf({ kind, key: about, value }: Fact, n: number): Reply {
  const tool = kind === 'path' ? file.spec.id : look.spec.id;
  const own = kind === 'path' || kind === 'number';
  const decided = kind === 'decision' ? ` For ${about} it is decided: ${value}.` : '';
  const input = { about: own ? about : `round ${n}`, value: own ? value : 'nothing', n };
  return {
    call: { tool, input, notes: `Looking on.${decided}` },
    ...(kind === 'rule' ? { internal: `[P] For ${about} always ${value}.` } : {}),
    ...(kind === 'followup' ? { thinking: 'Let me see.', hold: about } : {}),
  };
}

/** What the last prompt says of a fact: rules and followups in full, files by their paths. */
function inSight({ kind, key: about, value }: Fact): string {
  if (kind === 'rule') return `[P] For ${about} always ${value}.`;
  if (kind === 'followup') return `About ${about}: use ${value}.`;
  return kind === 'path' ? `outputs/${about}.txt` : '';
}

// proves: compact.needles, compact.continues
test.each([
  [
    'a summary model that says little',
    'Open after this round:\nThe books of the harbour, one thing after the other, as they asked.',
  ],
  ['no summary model', ' '],
])('the facts of one long turn outlive more than five compactions with %s', async (_, raw) => {
  const summaries = Array.from({ length: factsCount }, () => ({ role: 'summary' as const, raw }));
  const script = [...facts.map(roundOf), { answer: 'Ready.' }, ...summaries];
  await using desk = await openHarness(script, {
    agent: {
      context: { ...agentDefaults.context, maxTokens: 24_000 },
      budgets: { ...agentDefaults.budgets, rounds: factsCount + 1 },
    },
    tools: [look, file],
  });
  const { key = toConversationKey(0) } = await desk.say('Go through all the books.');
  for (const { kind, key: about, value } of facts) {
    if (kind !== 'followup') continue;
    await desk.model.held(about);
    await desk.say(`About ${about}: use ${value}.`, { kind: 'followup' });
    desk.model.release(about);
  }
  const blocks = await desk.closed();
  const compactions = blocks.filter(
    ({ type, data }) =>
      type === 'compact.close' && isJsonObject(data) && data['status'] === 'completed',
  );
  expect(compactions.length).toBeGreaterThanOrEqual(5);

  const agent = await agentOf(desk, key);
  for (const fact of facts) expect(agent.prompt).toContain(inSight(fact));
  const found = new Map<Fact, number | undefined>();
  for (const fact of facts) {
    // A decision stands in the notes of its round, so nothing else leads to it than the turn.
    const asked = fact.kind === 'decision' ? { ...fact, kind: 'rule' as const } : fact;
    found.set(fact, await recover(agent, asked, readsMax));
  }
  const lost = [...found].filter(([, reads]) => reads === undefined);
  process.stdout.write(
    `needles of one turn after ${compactions.length} compactions: lost ${lost.length} of ${found.size}\n`,
  );
  expect(lost.length / found.size).toBeLessThanOrEqual(0.01);
});
