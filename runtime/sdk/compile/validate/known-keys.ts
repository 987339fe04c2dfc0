import { nearestFirst } from '../../../base/nearest.ts';
import { modelChoicesMax } from '../../contract/limits.ts';
import type {
  AgentDefinition,
  AgentOptions,
  ExternalAgentOptions,
  ToolGroup,
} from '../../define/agent.ts';
import type { BundleDefinition, McpEndpoint, McpServer } from '../../define/bundle.ts';
import type { HookDefinition } from '../../define/hook.ts';
import type {
  ModelAbilityOptions,
  ModelChoice,
  ModelOptions,
  ModelPrices,
} from '../../define/model.ts';
import type { SecretDefinition } from '../../define/settings.ts';
import type { SkillDefinition } from '../../define/skill.ts';
import type {
  EventKindDefinition,
  JobDefinition,
  OperationDefinition,
  WidgetDefinition,
} from '../../define/surfaces.ts';
import type { ToolDefinition } from '../../define/tool.ts';
import { definedHooks, hooksOf } from './hook-points.ts';
import { modelProblems } from './model-problems.ts';

/** All keys of a type, checked by the compiler. For a union, the keys of all members. */
type Keys<T> = Readonly<
  Record<Exclude<T extends T ? keyof T : never, 'definition' | `~${string}`>, true>
>;
type Group = 'models' | 'budgets' | 'policies' | 'context' | 'exec' | 'memory' | 'delegation';
type GroupKeys = { readonly [Name in Group]: Keys<NonNullable<AgentOptions[Name]>> };
type ToolKeys = Keys<Omit<ToolDefinition, 'options' | 'with'> & ToolDefinition['options']>;

const agentKeys: Keys<AgentDefinition> = {
  ...{ id: true, instruction: true, output: true, tools: true, groups: true, skills: true },
  ...{ channels: true, models: true, protocol: true, budgets: true, policies: true },
  ...{ context: true, exec: true, answer: true, promptForm: true, hooks: true, hint: true },
  ...{ memory: true, firstMessages: true, modelChoices: true },
  ...{ delegation: true },
  ...{ runtime: true, external: true },
};
const externalKeys: Keys<ExternalAgentOptions> = { program: true, workspace: true, egress: true };
const groupKeys: GroupKeys = {
  models: {
    ...{ decision: true, answer: true, summary: true, selection: true, small: true },
    ...{ reasoning: true },
  },
  budgets: { rounds: true, tokens: true, costUsd: true, wallMs: true, actionsPerRound: true },
  policies: {
    ...{ multiAction: true, malformed: true, prose: true, toolFailure: true },
    ...{ exhausted: true, hiddenTool: true, externalTools: true, steer: true, verify: true },
  },
  context: { maxTokens: true, recentTurns: true, intactTurns: true, ttlMs: true },
  exec: {
    ...{ languages: true, timeoutMs: true, memoryMb: true, fileMb: true },
    ...{ pids: true, cpus: true, mode: true, image: true },
  },
  memory: { mode: true, scopes: true, limit: true },
  delegation: {
    ...{ plans: true, depth: true, sideBySide: true, stepMs: true, verify: true },
    ...{ agents: true, from: true },
  },
};
const modelKeys: Keys<ModelOptions> = {
  ...{ model: true, maxOutputTokens: true, temperature: true, reasoningEffort: true },
  ...{ contextTokens: true, prices: true, headers: true, body: true },
  ...{ abilities: true, fallback: true, api: true, server: true, content: true },
  ...{ protocol: true, promptForm: true },
};
const priceKeys: Keys<ModelPrices> = {
  ...{ input: true, output: true, cacheRead: true, cacheWrite: true },
};
const abilityKeys: Keys<ModelAbilityOptions> = { tools: true, forcedChoice: true, json: true };
const toolGroupKeys: Keys<ToolGroup> = { description: true, tools: true, active: true };
const channelKeys: Keys<NonNullable<AgentDefinition['channels']>[number]> = {
  ...{ id: true, format: true, description: true, schema: true },
};
const bundleKeys: Keys<BundleDefinition> = {
  ...{ id: true, version: true, title: true, props: true, secrets: true, resources: true },
  ...{ skills: true, agents: true, widgets: true, operations: true, jobs: true, events: true },
  ...{ hooks: true, knowledge: true, mcp: true },
  ...{ onLoad: true, onPropsChanged: true, dispose: true },
};
const mcpKeys: Keys<NonNullable<BundleDefinition['mcp']>> = { use: true, expose: true };
const serverKeys: Keys<McpServer> = {
  ...{ id: true, url: true, bearer: true, headers: true, command: true, args: true, env: true },
  ...{ allow: true, deny: true, required: true, timeoutMs: true },
};
const endpointKeys: Keys<McpEndpoint> = {
  ...{ id: true, tools: true, agents: true, access: true, verify: true },
};
const eventKeys: Keys<EventKindDefinition> = {
  ...{ kind: true, payload: true, reactive: true, credit: true, text: true },
};
const widgetKeys: Keys<WidgetDefinition> = {
  ...{ id: true, title: true, ui: true, access: true, main: true, renders: true },
};
const operationKeys: Keys<OperationDefinition> = {
  ...{ id: true, method: true, access: true, input: true, output: true },
  ...{ timeoutMs: true, verify: true, run: true },
};
const hookKeys: Keys<HookDefinition> = {
  ...{ id: true, guard: true, transform: true, observe: true },
};
const guardKeys: Keys<NonNullable<HookDefinition['guard']>> = {
  ...{ event: true, reasoning: true, tool: true, completion: true, emit: true },
};
const transformKeys: Keys<NonNullable<HookDefinition['transform']>> = {
  ...{ event: true, reasoning: true, tool: true, result: true, completion: true },
};
const observeKeys: Keys<NonNullable<HookDefinition['observe']>> = {
  ...{ block: true, reasoning: true, shown: true },
};
const jobKeys: Keys<JobDefinition> = {
  ...{ id: true, schedule: true, timezone: true, on: true, timeoutMs: true },
  ...{ input: true, attempts: true, run: true },
};
const secretKeys: Keys<SecretDefinition> = { id: true, for: true, description: true };
const skillKeys: Keys<SkillDefinition> = {
  ...{ id: true, name: true, description: true, text: true },
  ...{ arguments: true, tools: true, sources: true, hidden: true },
};
const toolKeys: ToolKeys = {
  ...{ id: true, description: true, input: true, output: true, run: true },
  ...{ traits: true, effects: true, concurrency: true, timeoutMs: true, callsPerTurn: true },
  ...{ onFailure: true, cumulative: true, hint: true, resultAs: true },
  ...{ resultLimit: true, preset: true, approval: true, defers: true },
};

/** Unknown keys of an agent, one sentence each, for authors who write JavaScript. */
export function unknownInAgent(agent: AgentDefinition): readonly string[] {
  const { groups = {}, channels = [], models = {}, modelChoices = [] } = agent;
  return [
    ...unknownKeys(agent, agentKeys),
    ...unknownKeys(agent.external, externalKeys, 'external'),
    ...Object.entries(groupKeys).flatMap(([name, keys]) =>
      unknownKeys(Reflect.get(agent, name), keys, name),
    ),
    ...Object.entries(models).flatMap(([role, choice]) => unknownInModel(choice, `models.${role}`)),
    ...modelChoices.flatMap((choice, at) => unknownInModel(choice, `modelChoices[${at}]`)),
    ...(modelChoices.length > modelChoicesMax
      ? [`modelChoices has more than ${modelChoicesMax} models`]
      : []),
    ...Object.entries(groups).flatMap(([name, group]) =>
      unknownKeys(group, toolGroupKeys, `group “${name}”`),
    ),
    ...channels.flatMap((one) => unknownKeys(one, channelKeys, `channel “${one.id}”`)),
    ...definedHooks(agent.hooks).flatMap((one) => unknownInHook(one)),
  ];
}

function unknownInModel(choice: ModelChoice, who: string): readonly string[] {
  if (typeof choice === 'string') return [];
  return [
    ...unknownKeys(choice, modelKeys, who),
    ...unknownKeys(choice.prices, priceKeys, `${who}.prices`),
    ...unknownKeys(choice.abilities, abilityKeys, `${who}.abilities`),
    ...modelProblems(choice).map((problem) => `${who}: ${problem}`),
  ];
}

export function unknownInBundle(bundle: BundleDefinition): readonly string[] {
  const { secrets = [], events = [], widgets = [], operations = [], jobs = [], mcp = {} } = bundle;
  const hooks = hooksOf(bundle);
  const { use = [], expose = [] } = mcp;
  return [
    ...unknownKeys(bundle, bundleKeys),
    ...secrets.flatMap((one) => unknownKeys(one, secretKeys, `secret “${one.id}”`)),
    ...events.flatMap((one) => unknownKeys(one, eventKeys, `event kind “${one.kind}”`)),
    ...widgets.flatMap((one) => unknownKeys(one, widgetKeys, `widget “${one.id}”`)),
    ...operations.flatMap((one) => unknownKeys(one, operationKeys, `operation “${one.id}”`)),
    ...hooks.flatMap((one) => unknownInHook(one)),
    ...jobs.flatMap((one) => unknownKeys(one, jobKeys, `job “${one.id}”`)),
    ...unknownKeys(mcp, mcpKeys, 'mcp'),
    ...use.flatMap((one) => unknownKeys(one, serverKeys, `MCP server “${one.id}”`)),
    ...expose.flatMap((one) => unknownKeys(one, endpointKeys, `MCP endpoint “${one.id}”`)),
  ];
}

/** A guard under an unknown key would never run. */
function unknownInHook({ guard, transform, observe, ...hook }: HookDefinition): readonly string[] {
  const who = `hook “${hook.id}”`;
  return [
    ...unknownKeys(hook, hookKeys, who),
    ...unknownKeys(guard, guardKeys, `${who}, guard`),
    ...unknownKeys(transform, transformKeys, `${who}, transform`),
    ...unknownKeys(observe, observeKeys, `${who}, observe`),
  ];
}

export function unknownInTool({ options, ...tool }: ToolDefinition): readonly string[] {
  return unknownKeys({ ...options, id: tool.id }, toolKeys, `tool “${tool.id}”`);
}

export function unknownInSkill(skill: SkillDefinition): readonly string[] {
  return unknownKeys(skill, skillKeys);
}

/** Keys of an object that are not known, one sentence each. `definition` is the SDK's own key. */
export function unknownKeys(
  value: unknown,
  known: Readonly<Record<string, true>>,
  who = 'it',
): readonly string[] {
  return Object.keys(Object(value))
    .filter((key) => key !== 'definition' && !Object.hasOwn(known, key))
    .map((key) => {
      const [nearest, ...others] = nearestFirst(key, Object.keys(known));
      return `${who} has an unknown key “${key}”; did you mean ${nearest}? Other keys: ${others.join(', ')}`;
    });
}
