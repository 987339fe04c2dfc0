import { expect, test } from 'vitest';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import type { MultiAction } from '../../../../runtime/channels/reply/rules.ts';
import { agentDefaults } from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import type { Tool, ToolSpec } from '../../../../runtime/tools/ports/tool.ts';
import { openHarness } from '../kit/harness.ts';

const answer = { answer: 'Done.' };

function tool(id: string, traits: ToolSpec['traits'], ran: string[]): Tool {
  return createTool({
    ...({ id, description: 'Does something.', kind: 'bundle', effects: 'none' } as const),
    ...{ traits, concurrency: 'alone', input: z.object({}) },
    run: async () => {
      ran.push(id);
      return { result: { ok: true, ret: id } };
    },
  });
}

const dataOf = (block: Block | undefined): JsonObject =>
  isJsonObject(block?.data) ? block.data : {};

/** What became of each call, in the order of the log: `ok`, or the code of its error. */
function outcomes(blocks: readonly Block[]): readonly unknown[] {
  return blocks
    .filter(({ type }) => type === 'react.tool.result')
    .map((result) => {
      const { ok, error } = dataOf(result);
      return ok === true ? 'ok' : isJsonObject(error) && error['code'];
    });
}

/** One reply of native tool calls; then the answer. */
async function play(
  ids: readonly string[],
  multiAction: MultiAction,
): Promise<{ blocks: readonly Block[]; ran: readonly string[]; prompt: string }> {
  const ran: string[] = [];
  const tools = [
    tool('it.look', ['exploration'], ran),
    tool('it.make', ['exploitation'], ran),
    tool('it.odd', [], ran),
  ];
  const policies = { ...agentDefaults.policies, multiAction };
  const agent = { protocol: 'native-tools' as const, policies };
  const script = [{ call: ids.map((id) => ({ tool: id })) }, answer];
  await using harness = await openHarness(script, { agent, tools });
  await harness.say('Go');
  const blocks = await harness.closed();
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed', text: 'Done.' });
  expect(verify(blocks)).toEqual([]);
  return { blocks, ran, prompt: harness.model.requests[1]?.text ?? '' };
}

// proves: multi-action.native
test.each([
  {
    what: 'a third call where two may run',
    ...{ multiAction: 'safe_fanout' as const, ids: ['it.look', 'it.look', 'it.look'] },
    ...{ results: ['ok', 'ok', 'not_executed'], says: 'A reply may hold 2 actions' },
  },
  {
    what: 'a change behind a look-up',
    ...{ multiAction: 'safe_fanout' as const, ids: ['it.look', 'it.make'] },
    ...{ results: ['ok', 'not_executed'], says: 'Read the result first.' },
  },
  {
    what: 'a call beside a tool without traits',
    ...{ multiAction: 'safe_fanout' as const, ids: ['it.odd', 'it.look'] },
    ...{ results: ['ok', 'not_executed'], says: 'must be the only action of a reply' },
  },
  {
    what: 'a second call where one may run',
    ...{ multiAction: 'off' as const, ids: ['it.make', 'it.look'] },
    ...{ results: ['ok', 'not_executed'], says: 'A reply may hold one action' },
  },
])('with native tools $what is not executed, and no violation', async (each) => {
  const { blocks, ran, prompt } = await play(each.ids, each.multiAction);
  expect(outcomes(blocks)).toEqual(each.results);
  expect(ran).toEqual(each.ids.slice(0, ran.length));
  expect(blocks.filter(({ type }) => type === 'react.notice')).toEqual([]);
  const [reply] = blocks.filter(({ type }) => type === 'model.call').map(dataOf);
  expect(reply).toMatchObject({ finish: 'stop' });
  expect(prompt).toContain(each.says);
});
