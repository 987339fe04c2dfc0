import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import { protocols } from '../../../../runtime/channels/protocol/reply-piece.ts';
import { agentDefaults } from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness } from '../kit/harness.ts';
import { scripted } from './script-kit.ts';
import { weakBehaviours } from './weak-behaviours.ts';

// proves: protocol.weak-models

const docs = join(import.meta.dirname, '../../../../docs/reference/protocols.md');
const [, table = ''] = readFileSync(docs, 'utf8').split('## What weak models do');
/** The outcomes that the page names, by behaviour. */
const documented = new Map(
  [...table.matchAll(/^\| (?!A model that)(.+) \|$/gm)].map(([, row = '']) => {
    const [name = '', ...outcomes] = row.split(' | ');
    return [name, outcomes] as const;
  }),
);
const machinery =
  /<\/?(channel|tool_call|think)|["'](action|tool_call|final_answer|arguments)["']|\[(TOOL|THINKING|ASSISTANT)/;

test.each(Object.entries(weakBehaviours))(
  'a model that %s: each turn ends once, with a text for people, and the first reply counts as documented',
  async (name, reply) => {
    const outcomes: string[] = [];
    for (const protocol of protocols) {
      const budgets = { ...agentDefaults.budgets, rounds: 6 };
      const replies = Array.from({ length: 12 }, () => reply);
      const agent = { protocol, budgets };
      await using harness = await openHarness(replies, { agent, tools: scripted.tools });
      await harness.say('What is 1 + 2?');
      const blocks = await harness.closed();
      expect(verify(blocks), protocol).toEqual([]);
      expect(blocks.filter(({ type }) => type === 'turn.close')).toHaveLength(1);
      const text = String(dataOf(blocks.at(-1))['text'] ?? '');
      expect(text.trim(), protocol).not.toBe('');
      expect(text, protocol).not.toMatch(machinery);
      outcomes.push(firstOutcome(blocks));
    }
    expect(documented.get(name)).toEqual(outcomes);
  },
);

// proves: protocol.weak-models
test('the table has these behaviours and no others', () => {
  const rows = [...documented.keys()];
  expect(rows).toEqual(Object.keys(weakBehaviours));
  expect(rows.length).toBeGreaterThanOrEqual(40);
});

const words: Readonly<Record<string, string>> = {
  answered: 'answer',
  acted: 'call',
  violation: 'asked again',
};

function firstOutcome(blocks: readonly Block[]): string {
  const close = blocks.find(({ type }) => type === 'round.close');
  const outcome = String(dataOf(close)['outcome']);
  return words[outcome] ?? outcome;
}

function dataOf(block: Block | undefined) {
  return isJsonObject(block?.data) ? block.data : {};
}
