import type { Protocol as RoundProtocol } from '../../channels/protocol/reply-piece.ts';
import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import type { View, VisibleTools } from '../../timeline/view.ts';
import type { Tool, Toolset } from '../../tools/ports/tool.ts';
import { divideTools, mayHide } from '../../tools/visibility/visible-tools.ts';

/** An agent as one round has it: its tools are the ones that may run. */
export type VisibleAgent = AgentSettings & {
  /** Tools that may not run now. */
  readonly hidden: readonly Tool[];
  /** Tools that the message of the turn switched off. */
  readonly switchedOff?: readonly Tool[];
  readonly toolset?: Toolset;
  /** The agent with all its tools. A reply is read by what they are, whether they may run or not. */
  readonly whole: AgentSettings;
};

export type { RoundProtocol };

type Seen = { readonly visible: View['visible']; readonly turn: string | undefined };

/** The name under which the log has the visible tools of an agent. */
export function agentKey({ bundle, id }: Pick<AgentSettings, 'bundle' | 'id'>): string {
  return `${bundle}/${id}`;
}

/** The same state gives the same object, so that what is made from it is made once. */
export function visibleAgent(agent: AgentSettings, { visible, turn }: Seen): VisibleAgent {
  const state = visible.get(agentKey(agent));
  const divided = divideTools(agent, { state, turn });
  if (!mayHide(agent)) return kept(agent, 'all', () => ({ ...agent, hidden: [], whole: agent }));
  const toolset = toolsetOf(agent, state, divided.hidden);
  // A tool that is not in the prompt may run all the same.
  const isOpen = agent.policies.hiddenTool === 'allow';
  const [tools, hidden] = isOpen ? [agent.tools, []] : [divided.visible, divided.hidden];
  const key = JSON.stringify([idsOf(divided.visible), state?.groups, toolset.described]);
  return kept(agent, key, () => ({ ...agent, tools, hidden, toolset, whole: agent }));
}

/**
 * The agent as the system text describes it. The text stays the same while tools come into view, because the log describes
 * them; it is made again when the log has lost what it said about a visible tool, or has been compacted.
 */
export function describedAgent(agent: AgentSettings, { visible, turn }: Seen): AgentSettings {
  if (!mayHide(agent)) return visibleAgent(agent, { visible, turn });
  const state = visible.get(agentKey(agent));
  const shown = idsOf(divideTools(agent, { state, turn }).visible);
  const { system, described = [] } = state ?? {};
  const isKept = system && shown.every((id) => system.includes(id) || described.includes(id));
  const ids = new Set(isKept ? system : shown);
  const tools = agent.tools.filter(({ spec }) => ids.has(spec.id));
  return kept(agent, JSON.stringify(['described', idsOf(tools)]), () => {
    return { ...agent, tools, hidden: [], whole: agent };
  });
}

/**
 * The agent with the tools that a prompt shows. Tools that are offered beside the text are always the visible ones, because
 * the provider accepts calls of no other.
 */
export function agentInPrompt(
  agent: AgentSettings,
  { protocol, ...seen }: Seen & { readonly protocol: RoundProtocol },
): AgentSettings {
  return protocol === 'native-tools' ? visibleAgent(agent, seen) : describedAgent(agent, seen);
}

/** For `round.open`: the tools in its system text, unless the log already has them. */
export function newlyShown(
  agent: AgentSettings,
  described: AgentSettings,
  { visible }: Pick<Seen, 'visible'>,
): { readonly agent: string; readonly tools: readonly string[] } | undefined {
  if (!mayHide(agent)) return undefined;
  const key = agentKey(agent);
  const tools = idsOf(described.tools);
  const known = visible.get(key)?.system;
  const isKnown = known?.length === tools.length && tools.every((id) => known.includes(id));
  return isKnown ? undefined : { agent: key, tools };
}

/** The tools that the prompt shows. */
export function shownTools({
  tools,
  toolset,
}: Pick<VisibleAgent, 'tools' | 'toolset'>): readonly Tool[] {
  return toolset ? tools.filter((tool) => !toolset.hidden.includes(tool)) : tools;
}

function toolsetOf(
  agent: AgentSettings,
  state: VisibleTools | undefined,
  hidden: readonly Tool[],
): Toolset {
  const { groups = [], system = [], described = [] } = state ?? {};
  return {
    agent: agentKey(agent),
    groups: agent.groups.map((group) => ({
      ...group,
      on: group.active || groups.includes(group.id),
    })),
    tools: idsOf(agent.tools),
    hidden,
    described: [...system, ...described],
  };
}

function idsOf(tools: readonly Tool[]): readonly string[] {
  return tools.map(({ spec }) => spec.id);
}

const made = new WeakMap<AgentSettings, Map<string, VisibleAgent>>();
const madeMax = 64;

function kept(agent: AgentSettings, key: string, make: () => VisibleAgent): VisibleAgent {
  const known = made.get(agent) ?? new Map<string, VisibleAgent>();
  const before = known.get(key);
  if (before) return before;
  if (known.size >= madeMax) known.clear();
  const fresh = make();
  made.set(agent, known.set(key, fresh));
  return fresh;
}
