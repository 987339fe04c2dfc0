import type { JsonObject } from '../../base/json.ts';
import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import { type ModelChoice, type ModelRef, refOf } from '../../sdk/define/model.ts';
import type { TurnView, View } from '../../timeline/view.ts';
import { outputByJsonSchema } from '../../tools/definition/output-schema.ts';
import type { Tool } from '../../tools/ports/tool.ts';
import { runPlanId } from '../../tools/react/run-plan/run-plan.ts';
import { isWebTool } from '../../tools/web/web-scope.ts';
import { type ClientFunction, createClientTool } from './client-tools.ts';
import { delegatedOf, depthLeft, namedModelOf, optionsOf } from './turn-data.ts';
import {
  agentInPrompt,
  type RoundProtocol,
  type VisibleAgent,
  visibleAgent,
} from './visible-agent.ts';

export type { RoundProtocol, VisibleAgent };

type TurnPlace = { readonly visible: View['visible']; readonly turn: TurnView };

/**
 * The agent of a turn with the tools that may run: without exec tools or web tools if the message of the turn switched them
 * off, and with the functions that its sender performs.
 */
export function agentOfTurn(agent: AgentSettings, { visible, turn }: TurnPlace): VisibleAgent {
  return allowed(visibleAgent(agent, { visible, turn: turn.id }), turn);
}

/** The agent of a turn with the tools that its next prompt shows. */
export function promptAgentOfTurn(
  agent: AgentSettings,
  { visible, turn, protocol }: TurnPlace & { readonly protocol: RoundProtocol },
): AgentSettings {
  return allowed(agentInPrompt(agent, { visible, turn: turn.id, protocol }), turn);
}

function allowed<Agent extends AgentSettings>(agent: Agent, turn: TurnView): Agent {
  const { exec, web_search: web, tools = [], dispatch_url: dispatchUrl, output } = optionsOf(turn);
  let own: AgentSettings = exec === false ? derived(agent, 'exec: false', withoutExec) : agent;
  if (web === false) own = derived(own, 'web: false', (base) => withoutTools(base, isWeb));
  if (tools.length > 0) {
    const create = (each: ClientFunction) => createClientTool(each, dispatchUrl);
    const added = (base: AgentSettings) => withTools(base, tools.map(create));
    own = derived(own, `tools: ${JSON.stringify([tools, dispatchUrl])}`, added);
  }
  if (output !== undefined) {
    own = derived(own, `output: ${JSON.stringify(output)}`, (base) => withOutput(base, output));
  }
  if (agent.delegation.plans && depthLeft(turn, agent) <= 0) {
    own = derived(own, 'no plans', withoutPlans);
  }
  return withHint(own, turn) as Agent;
}

/** The agent with the model that the caller of a step has chosen. */
export function withHint(agent: AgentSettings, turn: TurnView): AgentSettings {
  const role = delegatedOf(turn)?.role;
  if (role === undefined || agent.decides === role) return agent;
  return derived(agent, `decides: ${role}`, (base) => ({ ...base, decides: role }));
}

/** The setting of a model that users may choose; undefined: the agent does not offer it. */
export function choiceOfModel(
  { modelChoices = [] }: Pick<AgentSettings, 'modelChoices'>,
  model: ModelRef,
): ModelChoice | undefined {
  return modelChoices.find((each) => refOf(each) === model);
}

/** The agent with the model that its turn names: it decides, and writes the answers. */
export function withNamedModel(agent: AgentSettings, turn: TurnView): AgentSettings {
  const model = namedModelOf(turn);
  if (model === undefined) return agent;
  const choice = choiceOfModel(agent, model) ?? { model };
  return derived(agent, `model: ${model}`, (base) => ({
    ...base,
    models: { ...base.models, [base.decides]: choice, answer: choice },
  }));
}

/** No agent works below the deepest one. */
function withoutPlans(agent: AgentSettings): AgentSettings {
  return { ...agent, tools: agent.tools.filter(({ spec }) => spec.id !== runPlanId) };
}

const made = new WeakMap<AgentSettings, Map<string, AgentSettings>>();
const madeMax = 16;

/** The same agent gives the same object, so that what is made from it is made once. */
function derived<Agent extends AgentSettings>(
  agent: Agent,
  key: string,
  make: (agent: Agent) => AgentSettings,
): AgentSettings {
  const known = made.get(agent) ?? new Map<string, AgentSettings>();
  const before = known.get(key);
  if (before) return before;
  if (known.size >= madeMax) known.clear();
  const fresh = make(agent);
  made.set(agent, known.set(key, fresh));
  return fresh;
}

function withOutput(
  agent: AgentSettings & Partial<VisibleAgent>,
  schema: JsonObject,
): AgentSettings {
  const output = outputByJsonSchema(schema);
  const { whole } = agent;
  return { ...agent, output, ...(whole ? { whole: { ...whole, output } } : {}) };
}

function withTools(
  agent: AgentSettings & Partial<VisibleAgent>,
  tools: readonly Tool[],
): AgentSettings {
  const { whole } = agent;
  const both = { tools: [...agent.tools, ...tools] };
  return {
    ...agent,
    ...both,
    ...(whole ? { whole: { ...whole, tools: [...whole.tools, ...tools] } } : {}),
  };
}

function withoutExec(agent: AgentSettings): AgentSettings {
  return { ...withoutTools(agent, isExec), exec: { ...agent.exec, languages: [] } };
}

function withoutTools(
  agent: AgentSettings | VisibleAgent,
  isOff: (tool: Tool) => boolean,
): AgentSettings | VisibleAgent {
  const tools = agent.tools.filter((tool) => !isOff(tool));
  if (!('hidden' in agent)) return { ...agent, tools };
  const off = agent.tools.filter(isOff);
  const { hidden, switchedOff = [] } = agent;
  return { ...agent, tools, hidden: [...hidden, ...off], switchedOff: [...switchedOff, ...off] };
}

function isExec({ spec }: Tool): boolean {
  return spec.kind === 'exec';
}

function isWeb({ spec }: Tool): boolean {
  return spec.kind === 'platform' && isWebTool(spec.id);
}
