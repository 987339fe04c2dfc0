import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import { agentDefaults } from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import type { Tool } from '../../../../runtime/tools/ports/tool.ts';
import { controlTools } from '../../../../runtime/tools/react/control-tools.ts';
import { openHarness } from '../kit/harness.ts';

const answer: Reply = { answer: 'Done.' };

function toolsOf(count: number): readonly Tool[] {
  return Array.from({ length: count }, (_, index) =>
    createTool({
      id: `desk.t${index + 1}`,
      description: `Does number ${index + 1}. ${'And much more. '.repeat(20)}`,
      kind: 'bundle',
      traits: ['exploration'],
      input: z.object({}),
      run: async () => ({ result: { ok: true, ret: index + 1 } }),
    }),
  );
}

const many = [...toolsOf(13), ...controlTools];
const select = (output: string[]): Reply => ({ role: 'selection', output });
const call = (tool: string): Reply => ({ call: { tool } });

// proves: selection.once
test('above twelve tools one question chooses the tools of a turn', async () => {
  const script = [select(['desk.t2', 'desk.t13']), call('desk.t2'), answer];
  await using harness = await openHarness(script, { tools: many });
  await harness.say('Do number two');
  const blocks = await harness.closed();
  const [asked, first] = harness.model.requests;
  expect(asked).toMatchObject({ role: 'selection' });
  expect(asked?.text).toContain('Do number two');
  expect(asked?.text).toMatch(/^- desk\.t13: Does number 13\..*…$/m);
  for (const line of asked?.text.match(/^- desk.*$/gm) ?? []) expect(line.length).toBeLessThan(81);
  expect(asked?.text.match(/^- /gm)).toHaveLength(13);
  expect(first?.tools.filter((id) => id.startsWith('desk.'))).toEqual(['desk.t2', 'desk.t13']);
  expect(first?.tools).toContain('react.read');
  expect(first?.text).toContain('not chosen for this turn: desk.t1, ');
  expect(blocks.map(({ type }) => type).slice(0, 7)).toEqual([
    'turn.open',
    'user.prompt',
    'tools.selection',
    'model.call',
    'tools.visibility',
    'round.open',
    'model.call',
  ]);
  expect(dataOf(blocks[4])).toMatchObject({ reason: 'selection', of: 13 });
  expect(verify(blocks)).toEqual([]);
});

// proves: selection.once
test('twelve tools are shown without a question, whatever control and exec tools there are', async () => {
  const program = createTool({
    id: 'exec_tools.run',
    description: 'Runs.',
    kind: 'exec',
    input: z.object({}),
    run: async () => ({ result: { ok: true, ret: 'x' } }),
  });
  const tools = [...toolsOf(12), program, ...controlTools];
  await using harness = await openHarness([answer], { tools });
  await harness.say('Hello');
  await harness.closed();
  expect(harness.model.requests.map(({ role }) => role)).toEqual(['decision']);
});

// proves: selection.once
test('at most six are chosen', async () => {
  const chosen = [3, 1, 4, 5, 9, 2, 6, 8].map((n) => `desk.t${n}`);
  await using harness = await openHarness([select(chosen), answer], { tools: many });
  await harness.say('Do all');
  expect(visibilityIn(await harness.closed())).toMatchObject([{ tools: chosen.slice(0, 6) }]);
});

// proves: selection.non-fatal
test.each<[string, readonly Reply[]]>([
  ['fails', [{ role: 'selection', fault: { code: 'MODEL_OVERLOADED' } }]],
  ['is not a list', [1, 2].map(() => ({ role: 'selection' as const, raw: 'The second one!' }))],
  ['names no tool', [select(['desk.none', 'other'])]],
  ['is empty', [select([])]],
  ['is not in the script', []],
])('if the answer %s, all tools are shown', async (_, replies) => {
  await using harness = await openHarness([...replies, call('desk.t7'), answer], { tools: many });
  await harness.say('Do number seven');
  const blocks = await harness.closed();
  expect(visibilityIn(blocks)).toMatchObject([{ reason: 'selection_failed' }]);
  const shown = harness.model.requests.at(-1)?.tools.filter((id) => id.startsWith('desk.'));
  expect(shown).toHaveLength(13);
  expect(blocks.find(({ type }) => type === 'react.tool.result')?.text).toBe('7');
});

// proves: selection.recorded
test('a worker that takes the turn over does not choose again', async () => {
  const script: Reply[] = [
    select(['desk.t2']),
    { thinking: 'Hm', hold: 'busy', answer: 'Never.' },
    answer,
  ];
  await using harness = await openHarness(script, { tools: many });
  await harness.say('Do number two');
  await harness.model.held('busy');
  await harness.restart();
  harness.model.release('busy');
  const blocks = await harness.closed();
  expect(visibilityIn(blocks)).toHaveLength(1);
  expect(harness.model.requests.map(({ role }) => role)).toEqual([
    'selection',
    'decision',
    'decision',
  ]);
});

// proves: selection.recorded
test('a worker that is lost while it chooses does not make the turn choose again', async () => {
  const script: Reply[] = [
    { role: 'selection', raw: '["desk.t2"]', hold: 'choosing' },
    call('desk.t7'),
    answer,
  ];
  await using harness = await openHarness(script, { tools: many });
  await harness.say('Do it');
  await harness.model.held('choosing');
  await harness.restart();
  const blocks = await harness.closed();
  expect(visibilityIn(blocks)).toMatchObject([{ reason: 'selection_failed' }]);
  expect(harness.model.requests.filter(({ role }) => role === 'selection')).toHaveLength(1);
  expect(blocks.find(({ type }) => type === 'react.tool.result')?.text).toBe('7');
});

// proves: selection.recall
test('an event that the question contains cannot be taken back', async () => {
  const script: Reply[] = [
    { role: 'selection', raw: '["desk.t2"]', hold: 'choosing' },
    { answer: 'Done.' },
  ];
  await using harness = await openHarness(script, { tools: many });
  await harness.say('Do it');
  await harness.model.held('choosing');
  const prompt = (await harness.blocks()).find(({ type }) => type === 'user.prompt');
  const data = { event_id: prompt?.event ?? '' };
  const recall = { type: 'external.recall', path: prompt?.path ?? toBlockPath(''), text: '', data };
  await harness.write(recall, { reactive: false });
  harness.model.release('choosing');
  const blocks = await harness.closed();
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'completed' });
});

// proves: selection.hidden, visibility.refused
test('a tool that was not chosen is refused, and react.tools brings it into view', async () => {
  const add: Reply = { call: { tool: 'react.tools', input: { add: ['desk.t5'] } } };
  const script = [select(['desk.t2']), call('desk.t5'), add, call('desk.t5'), answer];
  await using harness = await openHarness(script, { tools: many });
  await harness.say('Do it');
  const results = (await harness.closed())
    .filter(({ type }) => type === 'react.tool.result')
    .map(({ text }) => text);
  expect(results).toEqual([
    expect.stringMatching(/tool_not_visible.*react\.tools \{"add":\["desk\.t5"\]\}/),
    expect.stringContaining('### desk.t5\nDoes number 5.'),
    '5',
  ]);
});

// proves: selection.once, visibility.cache
test('the next turn chooses again, and its log describes what the system text does not', async () => {
  const systems: string[] = [];
  const script = [
    select(['desk.t2']),
    answer,
    select(['desk.t2', 'desk.t5']),
    call('desk.t5'),
    answer,
  ];
  await using harness = await openHarness(script, {
    tools: many,
    through: (model) => ({
      id: model.id,
      contextTokens: model.contextTokens,
      costUsd: () => 0,
      stream: (request, streaming) => {
        if (request.role === 'decision') systems.push(request.system);
        return model.stream(request, streaming);
      },
    }),
  });
  await harness.say('Two');
  await harness.closed();
  await harness.say('Five');
  const blocks = await harness.closed(2);
  expect(new Set(systems).size).toBe(1);
  expect(systems[0]).toContain('### desk.t2');
  expect(systems[0]).not.toContain('### desk.t5');
  const last = harness.model.requests.at(-1)?.text;
  expect(last).toContain('[TOOLS]\n### desk.t5\nDoes number 5.');
  expect(last?.match(/### desk\.t2\n/g)).toHaveLength(1);
  expect(blocks.map(({ type }) => type)).not.toContain('cache.break');
});

// proves: visibility.groups
test('tools of a group that is on stay visible, whatever is chosen', async () => {
  const groups = [{ id: 'base', description: 'Always.', tools: ['desk.t9'], active: true }];
  const script = [select(['desk.t2']), call('desk.t9'), answer];
  await using harness = await openHarness(script, { agent: { groups }, tools: many });
  await harness.say('Nine');
  const blocks = await harness.closed();
  expect(harness.model.requests[0]?.text).not.toContain('- desk.t9:');
  expect(blocks.find(({ type }) => type === 'react.tool.result')?.text).toBe('9');
});

// proves: selection.charged
test('the question is charged to the turn, and a spent budget shows all tools', async () => {
  const budgets = { ...agentDefaults.budgets, tokens: 1 };
  await using harness = await openHarness([select(['desk.t2']), answer], {
    agent: { budgets },
    tools: many,
  });
  await harness.say('Two');
  const blocks = await harness.closed();
  const calls = blocks.filter(({ type }) => type === 'model.call').map(dataOf);
  expect(calls[0]).toMatchObject({ role: 'selection' });
  expect(calls[0]).toHaveProperty('usage.input_tokens');
});

function visibilityIn(blocks: readonly Block[]) {
  return blocks.filter(({ type }) => type === 'tools.visibility').map(dataOf);
}

function dataOf(block: Block | undefined) {
  return isJsonObject(block?.data) ? block.data : {};
}
