import { memoryTools } from '../../../tools/memory/memory-tools.ts';
import type { Tool } from '../../../tools/ports/tool.ts';
import type { ToolGroup } from '../../../tools/ports/tool-group.ts';
import { createRunPlanTool } from '../../../tools/react/run-plan/run-plan.ts';
import { createKnowledgeTool } from '../../../tools/react/search-knowledge.ts';
import { switchTools } from '../../../tools/react/switch-tools.ts';
import { tasksTool } from '../../../tools/react/tasks.ts';
import { mayHide } from '../../../tools/visibility/visible-tools.ts';
import { smallWindowTools } from '../../contract/small-window.ts';
import type { AgentDefinition } from '../../define/agent.ts';
import type { AnyTool } from '../../define/context.ts';
import type { Problems } from '../validate/problems.ts';
import { checkToolIds, findTools, type ToolSources } from './agent-tools.ts';

export type AgentTools = {
  /** All of them, sorted by id. */
  readonly tools: readonly Tool[];
  readonly groups: readonly ToolGroup[];
};

/** The tools of an agent: the control tools, the listed tools, and those of its groups. */
export function equip(agent: AgentDefinition, selecting: ToolSources): AgentTools {
  const { platform, knowledge, problems, isSmall, hasMemoryTools } = selecting;
  const has = (id: string) =>
    !isSmall || smallWindowTools.includes(id) || id === switchTools.spec.id;
  const control = [
    ...platform.tools.filter(({ spec }) => spec.kind === 'control' && has(spec.id)),
    ...(knowledge ? [createKnowledgeTool(knowledge)] : []),
    ...(hasMemoryTools ? memoryTools : []),
    ...planTool(selecting),
  ];
  const find = (entries: readonly (AnyTool | string)[]) =>
    entries.flatMap((entry) => findTools(entry, agent.id, selecting));
  const listed = [...control, ...find(agent.tools ?? [])];
  const found = Object.entries(agent.groups ?? {}).map(([id, { active = true, ...group }]) => ({
    ...{ id, active, description: group.description },
    tools: find(group.tools),
  }));
  const all = [...new Set([...listed, ...found.flatMap(({ tools }) => tools)])];
  checkToolIds(agent.id, all, problems);
  for (const { id } of found) checkGroupId(agent.id, id, problems);
  const active = found.flatMap((group) => (group.active ? group.tools : []));
  const shown = new Set([...listed, ...active].map(({ spec }) => spec.id));
  const groups = found.map(({ tools, ...group }) => {
    const ids = tools.map(({ spec }) => spec.id);
    return { ...group, tools: group.active ? ids : ids.filter((id) => !shown.has(id)) };
  });
  const { hooks } = selecting.toolbox;
  const withTasks = all.some(({ spec }) => spec.defers) ? [...all, tasksTool] : all;
  const isUseful = ({ spec }: Tool) =>
    spec.id !== switchTools.spec.id || mayHide({ tools: all, groups });
  return {
    groups,
    tools: withTasks
      .filter(isUseful)
      .toSorted((a, b) => (a.spec.id < b.spec.id ? -1 : 1))
      .map((tool) => hooks.around(tool, agent.id)),
  };
}

/** Steps may name the agents of the bundle, and those of other bundles that the agent lists. */
function planTool({ delegation, toolbox }: ToolSources): readonly Tool[] {
  if (!delegation.plans) return [];
  const own = (toolbox.loaded.definition.agents ?? []).map(({ id }) => id);
  return [createRunPlanTool({ agents: [...own, ...delegation.agents] })];
}

const groupIdShape = /^[a-z][a-z0-9_-]*$/;

/** A group is named beside tools, so its id must not look like one. */
function checkGroupId(agent: string, id: string, problems: Problems): void {
  if (groupIdShape.test(id)) return;
  problems.add(`agent “${agent}”: group “${id}” must have a lower-case name without dots`);
}
