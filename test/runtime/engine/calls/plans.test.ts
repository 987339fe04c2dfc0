import { expect, test } from 'vitest';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { createScriptedModel } from '../../../../runtime/adapters/models/scripted/scripted-model.ts';
import type { JsonObject } from '../../../../runtime/base/json.ts';
import {
  type AgentSettings,
  agentDefaults,
} from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { dataOf } from '../../../../runtime/timeline/catalogue/catalogue.ts';
import { toSeq } from '../../../../runtime/timeline/ids.ts';
import { controlTools } from '../../../../runtime/tools/react/control-tools.ts';
import { createRunPlanTool } from '../../../../runtime/tools/react/run-plan/run-plan.ts';
import { agentWith, openHarness } from '../kit/harness.ts';

type Harness = Awaited<ReturnType<typeof openHarness>>;

const agents = ['main', 'helper', 'library/archivist'];
const tools = [...controlTools, createRunPlanTool({ agents })];
const { signal } = new AbortController();

function delegation(more: Partial<AgentSettings['delegation']> = {}): AgentSettings['delegation'] {
  return { ...agentDefaults.delegation, plans: true, verify: false, ...more };
}

function plan(...steps: readonly JsonObject[]): Reply {
  return { call: { tool: 'react.run_plan', input: { steps: [...steps] } } };
}

/** The log of the agent that worked on a step. */
async function childOf({ engine }: Harness, blocks: readonly Block[], step = 'one') {
  const called = blocks
    .flatMap((block) => (block.type === 'agent.call' ? (dataOf('agent.call', block) ?? []) : []))
    .find((each) => each.step === step);
  const scope = { tenant: 'dev', project: 'dev' };
  const row = await engine.store.find(scope, called?.conversation ?? '', { signal });
  if (!row) throw new Error(`no conversation for ${step}`);
  return engine.store.read(row.key, { after: toSeq(0), limit: 1_000, signal });
}

function lastResult(blocks: readonly Block[]) {
  const result = blocks.findLast(({ type }) => type === 'react.tool.result');
  return { text: result?.text ?? '', data: result && dataOf('react.tool.result', result) };
}

// proves: plan.hint
test.each([
  ['fast', 'scripted:small'],
  ['reasoning', 'scripted:reasoning'],
  ['scripted:answer', 'scripted:answer'],
])('a step with the hint %s works with the model %s', async (hint, model) => {
  const models = new Map(
    (['small', 'reasoning', 'answer'] as const).map((role) => [
      role as string,
      createScriptedModel([{ answer: `I am the ${role} model.` }], { id: `scripted:${role}` }),
    ]),
  );
  await using harness = await openHarness(
    [plan({ id: 'one', task: 'Do it', agent: 'helper', hint }), { answer: 'Done.' }],
    {
      agent: { tools, delegation: delegation() },
      others: [agentWith({ id: 'helper' })],
      modelOf: (role) => models.get(role),
    },
  );
  await harness.say('Go');
  const blocks = await harness.closed();
  const child = await childOf(harness, blocks);
  const calls = child.filter(({ type }) => type === 'model.call');
  expect(calls.map(({ data }) => Object(data).model)).toEqual([model]);
});

// proves: plan.depth
test.each([1, 2, 3])(
  'with depth %i, that number of levels of agents works below an agent',
  async (depth) => {
    const deeper = plan({ id: 'one', task: 'Go deeper' });
    const rounds = Array.from({ length: depth }, () => deeper);
    await using harness = await openHarness(
      [
        ...rounds,
        deeper,
        { when: 'There is no tool', answer: 'The ground.' },
        ...rounds.map(() => ({ answer: 'Up.' })),
      ],
      { agent: { tools, delegation: delegation({ depth }) } },
    );
    await harness.say('Go');
    let blocks = await harness.closed();
    for (let level = 0; level < depth; level += 1) blocks = await childOf(harness, blocks);
    expect(lastResult(blocks).data?.error?.code).toBe('tool_not_found');
  },
);

// proves: delegate.bundles
test('an agent of another bundle works on a step if it allows that bundle', async () => {
  const archivist = { id: 'archivist', bundle: 'library', instruction: 'Find old papers.' };
  const step = { id: 'one', task: 'Find it', agent: 'library/archivist' };
  await using open = await openHarness(
    [plan(step), { when: 'Find old papers.', answer: 'Found.' }, { answer: 'Done.' }],
    {
      agent: { tools, delegation: delegation() },
      others: [agentWith({ ...archivist, delegation: delegation({ from: ['test'] }) })],
    },
  );
  await open.say('Go');
  const child = await childOf(open, await open.closed());
  expect(child[0]?.data).toMatchObject({ bundle: 'library', agent: 'archivist' });

  await using shut = await openHarness([plan(step), { answer: 'Without it, then.' }], {
    agent: { tools, delegation: delegation() },
    others: [agentWith({ ...archivist, delegation: delegation({ from: ['other'] }) })],
  });
  await shut.say('Go');
  const refused = lastResult(await shut.closed());
  expect(refused.text).toContain('does not work for agents of the bundle test');
  expect(refused.data?.error?.code).toBe('agent_not_allowed');
});

// proves: delegate.bundles
test('an agent of a bundle that is not installed is refused', async () => {
  const step = { id: 'one', task: 'Find it', agent: 'library/archivist' };
  await using harness = await openHarness([plan(step), { answer: 'Without it, then.' }], {
    agent: { tools, delegation: delegation() },
  });
  await harness.say('Go');
  expect(lastResult(await harness.closed()).data?.error?.code).toBe('unknown_agent');
});

// proves: plan.pruned
test('the path of a cut answer shows the whole answer', async () => {
  const long = `First. ${'word '.repeat(2_000)}Last.`;
  await using harness = await openHarness(
    [plan({ id: 'one', task: 'Write much' }), { answer: long }, { answer: 'See there.' }],
    { agent: { tools, delegation: delegation() } },
  );
  await harness.say('Go');
  const [, path = ''] = /whole answer: (\S+)\)/.exec(lastResult(await harness.closed()).text) ?? [];
  await harness.say('Read', { call: { tool: 'react.read', input: { paths: [path] } } });
  expect(lastResult(await harness.closed(2)).text).toContain('word Last.');
});
