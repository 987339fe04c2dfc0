import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import {
  agentDefaults,
  type OutputSchema,
} from '../../../../runtime/sdk/contract/agent-settings.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { add, openHarness } from '../kit/harness.ts';
import { able, noAbilities, roundsOf } from './protocol-kit.ts';

// proves: protocol.choice, protocol.fallback, protocol.offer

const all = { tools: true, forcedChoice: true, json: true };
const call: Reply = { call: { tool: 'math.add', input: { a: 1, b: 2 } } };
const answer: Reply = { answer: 'It is **3**.' };
const garbage: Reply = { pieces: [{ kind: 'reasoning', text: 'Hm.' }] };

test.each([
  ['auto', all, 'native-tools'],
  ['auto', { ...all, tools: false }, 'json'],
  ['auto', noAbilities, undefined],
  ['auto', undefined, undefined],
  ['channels', all, undefined],
  ['plain', all, 'plain'],
  ['json', undefined, 'json'],
] as const)('option %s with abilities %j: %s', async (protocol, abilities, expected) => {
  const through = abilities && { through: able(abilities) };
  await using harness = await openHarness([call, answer], { agent: { protocol }, ...through });
  await harness.say('What is 1 + 2?');
  const blocks = await harness.closed();
  expect(roundsOf(blocks)).toEqual([expected, expected]);
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'completed', text: 'It is **3**.' });
  const [request] = harness.model.requests;
  expect(request?.protocol).toBe(expected);
  expect(request?.format).toBe(expected === 'json' ? 'json' : undefined);
  expect(request?.offer?.tools.map(({ name }) => name)).toEqual(
    expected === 'native-tools' ? ['math__add'] : undefined,
  );
  expect(request?.text.includes('### math.add')).toBe(expected !== 'native-tools');
});

test('the preference of the model counts where the agent has none', async () => {
  const through = (model: Parameters<ReturnType<typeof able>>[0]) => ({
    ...able(all)(model),
    protocol: 'channels' as const,
  });
  await using harness = await openHarness([answer], { through });
  await harness.say('Hi');
  expect(roundsOf(await harness.closed())).toEqual([undefined]);
});

test('after two unusable replies each next round uses the next protocol of the model', async () => {
  const replies = [garbage, garbage, garbage, garbage, answer, answer];
  await using harness = await openHarness(replies, {
    through: able(all),
    agent: { protocol: 'channels' },
  });
  await harness.say('What is 1 + 2?');
  const blocks = await harness.closed();
  expect(roundsOf(blocks)).toEqual([undefined, undefined, 'native-tools', 'json', 'plain']);
  const notices = blocks.filter(
    ({ data }) => isJsonObject(data) && data['code'] === 'protocol_changed',
  );
  expect(notices.map(({ data }) => data)).toMatchObject([
    { from: 'channels', to: 'native-tools' },
    { from: 'native-tools', to: 'json' },
    { from: 'json', to: 'plain' },
  ]);
  const breaks = blocks.filter(({ type }) => type === 'cache.break');
  expect(breaks.map(({ data }) => data)).toEqual([
    { cause: 'protocol' },
    { cause: 'protocol' },
    { cause: 'protocol' },
  ]);
  expect(harness.model.requests.at(2)?.text).toMatch(/replies now have another form/);
  await harness.say('And again?');
  expect(roundsOf(await harness.closed(2))).toHaveLength(6);
  expect(roundsOf(await harness.blocks()).at(-1)).toBe('plain');
});

test.each([
  [noAbilities, [undefined, undefined, 'plain']],
  [undefined, [undefined, undefined, undefined]],
] as const)(
  'with abilities %j the third unusable reply ends in %j',
  async (abilities, expected) => {
    const through = abilities && { through: able(abilities) };
    await using harness = await openHarness([garbage, garbage, garbage], { ...through });
    await harness.say('What is 1 + 2?');
    const blocks = await harness.closed();
    expect(roundsOf(blocks)).toEqual(expected);
    expect(blocks.at(-1)?.data).toMatchObject({ reason: 'completed', degraded: true });
  },
);

test('an exec tool is offered with its program, a structured output with a tool that ends the turn', async () => {
  const python = createTool({
    id: 'exec_tools.execute_code_python',
    description: 'Runs a program.',
    kind: 'exec',
    language: 'python',
    traits: ['exploitation'],
    input: z.object({ prog_name: z.string().optional() }),
    run: async () => ({ result: { ok: true, ret: null } }),
  });
  const output: OutputSchema = {
    schema: { type: 'object' },
    parse: (value) => ({ ok: true, value }),
  };
  await using harness = await openHarness([{ answer: 'Three.', output: { sum: 3 } }], {
    tools: [python, add],
    through: able(all),
    agent: { output },
  });
  await harness.say('Sum up');
  const blocks = await harness.closed();
  expect(harness.model.requests[0]?.offer).toMatchObject({
    choice: 'auto',
    tools: [
      { name: 'exec_tools__execute_code_python', schema: { required: ['code'] } },
      { name: 'math__add', schema: { required: ['a', 'b'] } },
      { name: 'complete', schema: { required: ['output'] } },
    ],
  });
  expect(blocks.at(-1)?.data).toMatchObject({
    reason: 'completed',
    text: 'Three.',
    output: { sum: 3 },
  });
  expect(blocks.some(({ type }) => type === 'react.tool.call')).toBe(false);
});

test('the last call of a spent budget offers the tools, but allows none', async () => {
  await using harness = await openHarness([call, { raw: 'It is 3.' }], {
    through: able(all),
    agent: { budgets: { ...agentDefaults.budgets, rounds: 1 } },
  });
  await harness.say('What is 1 + 2?');
  const blocks = await harness.closed();
  expect(harness.model.requests.map(({ offer }) => offer?.choice)).toEqual(['auto', 'none']);
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'exhausted', text: 'It is 3.' });
  expect(harness.model.requests.at(-1)?.text).toMatch(
    /Answer now with what you have.*\nReply now: write your answer as plain text\./,
  );
  expect(blocks.filter(({ type }) => type === 'cache.break')).toEqual([]);
});

test('the tools beside the text count as system text and are stored', async () => {
  const tools = [add];
  await using harness = await openHarness([answer, answer], { tools, through: able(all) });
  await harness.say('Hi');
  const [open] = (await harness.closed()).filter(({ type }) => type === 'round.open');
  const system =
    isJsonObject(open?.data) && isJsonObject(open.data['tokens']) && open.data['tokens']['system'];
  expect(system).toBeGreaterThan(1_450);
  expect(JSON.stringify(open?.data)).toMatch(/"offer":"sha256:/);
});
