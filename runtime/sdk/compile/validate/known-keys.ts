import { nearestFirst } from '../../../base/nearest.ts';
import type { AgentDefinition, AgentOptions, ToolGroup } from '../../define/agent.ts';
import type { BundleDefinition, McpEndpoint, McpServer } from '../../define/bundle.ts';
import type { HookDefinition } from '../../define/hook.ts';
import type { ModelChoice, ModelOptions, ModelPrices } from '../../define/model.ts';
import type { SecretDefinition } from '../../define/settings.ts';
import type { SkillDefinition } from '../../define/skill.ts';
import type {
  EventKindDefinition,
  JobDefinition,
  OperationDefinition,
  WidgetDefinition,
} from '../../define/surfaces.ts';
import type { ToolDefinition } from '../../define/tool.ts';
import { hooksOf } from './hook-points.ts';
import { modelProblems } from './model-problems.ts';

/** Every key of a type, which the compiler holds equal; of a union those of all its members. */
type Words<T> = Readonly<
  Record<Exclude<T extends T ? keyof T : never, 'definition' | `~${string}`>, true>
>;
type Group = 'models' | 'budgets' | 'policies' | 'context' | 'exec';
type GroupWords = { readonly [Name in Group]: Words<NonNullable<AgentOptions[Name]>> };
type ToolWords = Words<Omit<ToolDefinition, 'options' | 'with'> & ToolDefinition['options']>;

const agentWords: Words<AgentDefinition> = {
  ...{ id: true, instruction: true, output: true, tools: true, groups: true, skills: true },
  ...{ channels: true, models: true, protocol: true, budgets: true, policies: true },
  ...{ context: true, exec: true, answer: true },
};
const groupWords: GroupWords = {
  models: { decision: true, answer: true, summary: true, selection: true, small: true },
  budgets: { rounds: true, tokens: true, costUsd: true, wallMs: true, actionsPerRound: true },
  policies: {
    ...{ multiAction: true, malformed: true, prose: true, toolFailure: true },
    ...{ exhausted: true, hiddenTool: true, steer: true },
  },
  context: { maxTokens: true, recentTurns: true, intactTurns: true, ttlMs: true },
  exec: { languages: true, timeoutMs: true, memoryMb: true, fileMb: true },
};
const modelWords: Words<ModelOptions> = {
  ...{ model: true, maxOutputTokens: true, temperature: true, reasoningEffort: true },
  ...{ contextTokens: true, prices: true, headers: true, body: true },
  ...{ abilities: true, fallback: true },
};
const priceWords: Words<ModelPrices> = {
  ...{ input: true, output: true, cacheRead: true, cacheWrite: true },
};
const toolGroupWords: Words<ToolGroup> = { description: true, tools: true, active: true };
const channelWords: Words<NonNullable<AgentDefinition['channels']>[number]> = {
  ...{ id: true, format: true, description: true, schema: true },
};
const bundleWords: Words<BundleDefinition> = {
  ...{ id: true, version: true, title: true, props: true, secrets: true, resources: true },
  ...{ skills: true, agents: true, widgets: true, operations: true, jobs: true, events: true },
  ...{ hooks: true, knowledge: true, mcp: true },
  ...{ onLoad: true, onPropsChanged: true, dispose: true },
};
const mcpWords: Words<NonNullable<BundleDefinition['mcp']>> = { use: true, expose: true };
const serverWords: Words<McpServer> = {
  ...{ id: true, url: true, bearer: true, headers: true, command: true, args: true, env: true },
  ...{ allow: true, deny: true, required: true, timeoutMs: true },
};
const endpointWords: Words<McpEndpoint> = {
  ...{ id: true, tools: true, agents: true, access: true, verify: true },
};
const eventWords: Words<EventKindDefinition> = {
  ...{ kind: true, payload: true, reactive: true, credit: true, text: true },
};
const widgetWords: Words<WidgetDefinition> = {
  ...{ id: true, title: true, ui: true, access: true, main: true, renders: true },
};
const operationWords: Words<OperationDefinition> = {
  ...{ id: true, method: true, access: true, input: true, output: true },
  ...{ timeoutMs: true, verify: true, run: true },
};
const hookWords: Words<HookDefinition> = {
  ...{ id: true, guard: true, transform: true, observe: true },
};
const guardWords: Words<NonNullable<HookDefinition['guard']>> = {
  ...{ event: true, tool: true, completion: true, emit: true },
};
const transformWords: Words<NonNullable<HookDefinition['transform']>> = {
  ...{ event: true, tool: true, result: true, completion: true },
};
const observeWords: Words<NonNullable<HookDefinition['observe']>> = { block: true };
const jobWords: Words<JobDefinition> = {
  ...{ id: true, schedule: true, timezone: true, on: true, timeoutMs: true },
  ...{ input: true, attempts: true, run: true },
};
const secretWords: Words<SecretDefinition> = { id: true, for: true, description: true };
const skillWords: Words<SkillDefinition> = {
  ...{ id: true, name: true, description: true, text: true },
  ...{ tools: true, sources: true, hidden: true },
};
const toolWords: ToolWords = {
  ...{ id: true, description: true, input: true, output: true, run: true },
  ...{ traits: true, effects: true, concurrency: true, timeoutMs: true, callsPerTurn: true },
  ...{ resultLimit: true, preset: true, approval: true },
};

/** What is said and nobody knows, a sentence each: who writes JavaScript is told by no compiler. */
export function unknownInAgent(agent: AgentDefinition): readonly string[] {
  const { groups = {}, channels = [], models = {} } = agent;
  return [
    ...strangers(agent, agentWords),
    ...Object.entries(groupWords).flatMap(([name, words]) =>
      strangers(Reflect.get(agent, name), words, name),
    ),
    ...Object.entries(models).flatMap(([role, choice]) => unknownInModel(choice, `models.${role}`)),
    ...Object.entries(groups).flatMap(([name, group]) =>
      strangers(group, toolGroupWords, `group “${name}”`),
    ),
    ...channels.flatMap((one) => strangers(one, channelWords, `channel “${one.id}”`)),
  ];
}

function unknownInModel(choice: ModelChoice, who: string): readonly string[] {
  if (typeof choice === 'string') return [];
  return [
    ...strangers(choice, modelWords, who),
    ...strangers(choice.prices, priceWords, `${who}.prices`),
    ...modelProblems(choice).map((problem) => `${who}: ${problem}`),
  ];
}

export function unknownInBundle(bundle: BundleDefinition): readonly string[] {
  const { secrets = [], events = [], widgets = [], operations = [], jobs = [], mcp = {} } = bundle;
  const hooks = hooksOf(bundle);
  const { use = [], expose = [] } = mcp;
  return [
    ...strangers(bundle, bundleWords),
    ...secrets.flatMap((one) => strangers(one, secretWords, `secret “${one.id}”`)),
    ...events.flatMap((one) => strangers(one, eventWords, `event kind “${one.kind}”`)),
    ...widgets.flatMap((one) => strangers(one, widgetWords, `widget “${one.id}”`)),
    ...operations.flatMap((one) => strangers(one, operationWords, `operation “${one.id}”`)),
    ...hooks.flatMap((one) => unknownInHook(one)),
    ...jobs.flatMap((one) => strangers(one, jobWords, `job “${one.id}”`)),
    ...strangers(mcp, mcpWords, 'mcp'),
    ...use.flatMap((one) => strangers(one, serverWords, `MCP server “${one.id}”`)),
    ...expose.flatMap((one) => strangers(one, endpointWords, `MCP endpoint “${one.id}”`)),
  ];
}

/** A guard under a word that nobody knows would never be asked. */
function unknownInHook({ guard, transform, observe, ...hook }: HookDefinition): readonly string[] {
  const who = `hook “${hook.id}”`;
  return [
    ...strangers(hook, hookWords, who),
    ...strangers(guard, guardWords, `${who}, guard`),
    ...strangers(transform, transformWords, `${who}, transform`),
    ...strangers(observe, observeWords, `${who}, observe`),
  ];
}

export function unknownInTool({ options, ...tool }: ToolDefinition): readonly string[] {
  return strangers({ ...options, id: tool.id }, toolWords, `tool “${tool.id}”`);
}

export function unknownInSkill(skill: SkillDefinition): readonly string[] {
  return strangers(skill, skillWords);
}

/** Of an object with these words, in which `definition` is ours. */
export function strangers(
  said: unknown,
  words: Readonly<Record<string, true>>,
  who = 'it',
): readonly string[] {
  return Object.keys(Object(said))
    .filter((word) => word !== 'definition' && !Object.hasOwn(words, word))
    .map((word) => {
      const [nearest, ...others] = nearestFirst(word, Object.keys(words));
      return `${who} has no “${word}”, but ${nearest} (and ${others.join(', ')})`;
    });
}
