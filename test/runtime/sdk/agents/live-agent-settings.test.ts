import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  type AgentOptions,
  defineAgent,
  defineBundle,
  defineProps,
} from '../../../../runtime/sdk/index.ts';
import { type Compiling, compile } from '../kit.ts';

const { signal } = new AbortController();

function bundleOf(options: AgentOptions = {}) {
  const agent = (id: string) => defineAgent({ id, instruction: 'x', ...options });
  return defineBundle({ id: 'acme', version: '1', agents: [agent('main'), agent('other')] });
}

async function open(options: AgentOptions, compiling: Compiling, live: object) {
  const bundle = await compile(bundleOf(options), compiling);
  await bundle.props.set(JSON.parse(JSON.stringify(live)), { signal });
  return bundle;
}

const said = { budgets: { rounds: 2 } };
const installation = { defaults: { budgets: { rounds: 1 } } };
const props = { react: { max_iterations: 3 } };
const agents = { main: { budgets: { rounds: 4 } } };
const live = { react: { max_iterations: 5 } };
const own = { ...live, agents: { main: { budgets: { rounds: 6 } } } };

// proves: settings.precedence
test.each<[number, AgentOptions, Compiling, object]>([
  [15, {}, {}, {}],
  [1, {}, installation, {}],
  [2, said, installation, {}],
  [3, said, { ...installation, props }, {}],
  [4, said, { ...installation, props, agents }, {}],
  [5, said, { ...installation, props, agents }, live],
  [6, said, { ...installation, props, agents }, own],
])('who speaks first wins: %i rounds', async (expected, ...said) => {
  const bundle = await open(...said);
  expect(bundle.agents[0].budgets.rounds).toBe(expected);
});

// proves: settings.precedence
test('live settings apply to one agent or all, within the ceilings, until they are removed', async () => {
  const ceilings = { execMemoryMb: 256 };
  const bundle = await compile(bundleOf(said), { ceilings });
  const before = bundle.agents;
  expect(bundle.agents).toBe(before);
  const agents = { other: { budgets: { rounds: 9 }, exec: { memory_mb: 9_999 } } };
  await bundle.props.set({ react: { context_max_tokens: 50_000 }, agents }, { signal });
  expect(
    bundle.agents.map(({ budgets, context, exec }) => [
      ...[budgets.rounds, context.maxTokens, exec.memoryMb],
    ]),
  ).toEqual([
    [2, 50_000, 256],
    [9, 50_000, 256],
  ]);
  await bundle.props.set({}, { signal });
  expect(bundle.agents.map(({ budgets }) => budgets.rounds)).toEqual([2, 2]);
});

// proves: models.choices
test('an operator sets the models that users may choose as a whole list, and takes them away', async () => {
  const offered = { modelChoices: ['openai:gpt-5', 'anthropic:claude-haiku-4-5'] } as const;
  const choices = async (agents?: Record<string, AgentOptions>) =>
    (await compile(bundleOf(offered), agents ? { agents } : {})).agents.map(
      ({ modelChoices }) => modelChoices,
    );
  expect(await choices()).toEqual([offered.modelChoices, offered.modelChoices]);
  expect(await choices({ main: { modelChoices: [] } })).toEqual([[], offered.modelChoices]);
  const many = Array.from({ length: 21 }, (_, n) => `openai:gpt-${n}` as const);
  await expect(compile(bundleOf({ modelChoices: many }), {})).rejects.toThrow(
    'modelChoices has more than 20 models',
  );
});

// proves: settings.refused
test.each([
  [{ react: { max_iterations: 0 } }, /react\.max_iterations/],
  [{ react: { iterations: 5 } }, /react.*iterations/],
  [{ agents: { nobody: {} } }, /agents\.nobody: unknown agent; use one of main, other/],
  [
    { agents: { main: { models: { decision: 'openai:gpt-5' } } } },
    /models are opened when the bundle loads/,
  ],
  [
    { agents: { main: { model_choices: ['openai:gpt-5'] } } },
    /main\.modelChoices: models are opened when the bundle loads/,
  ],
  [{ agents: { main: { model_choices: ['gpt-5'] } } }, /model_choices\W+0.*provider:name/],
  [{ agents: { main: { budgets: { costUsd: 1 } } } }, /main costs too much/],
])(
  'settings that no agent can have are refused, and those before stay: %j',
  async (wanted, because) => {
    const check = ({ id, budgets }: { id: string; budgets: { costUsd?: number } }) =>
      budgets.costUsd === undefined ? [] : [`${id} costs too much`];
    const bundle = await compile(bundleOf(said), { host: { check } });
    const set = () => bundle.props.set(JSON.parse(JSON.stringify(wanted)), { signal });
    await expect(set()).rejects.toThrow(because);
    expect(bundle.agents[0].budgets.rounds).toBe(2);
  },
);

// proves: settings.refused
test('a bundle cannot declare a prop with the name of an agent setting', async () => {
  const bundle = defineBundle({
    ...{ id: 'acme', version: '1', agents: [defineAgent({ id: 'main', instruction: 'x' })] },
    props: defineProps(z.object({ react: z.string().default('') })),
  });
  await expect(compile(bundle)).rejects.toThrow(/prop “react” is reserved/);
});
