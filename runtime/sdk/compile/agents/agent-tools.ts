import { createToolNames, wireName } from '../../../channels/protocol/tool-names.ts';
import { matchesPattern } from '../../../tools/definition/id-pattern.ts';
import type { KnowledgeSpace } from '../../../tools/ports/knowledge.ts';
import type { Language } from '../../../tools/ports/sandbox.ts';
import type { Tool } from '../../../tools/ports/tool.ts';
import type { DelegationSettings } from '../../contract/agent-settings.ts';
import type { AgentDefinition } from '../../define/agent.ts';
import type { AnyTool } from '../../define/context.ts';
import { isDefinition } from '../../define/definition.ts';
import type { ToolDefinition } from '../../define/tool.ts';
import { delegationProblems } from '../tools/delegation.ts';
import { jsonSchemaProblems, rootProblems } from '../validate/json-schema-fit.ts';
import { unknownInTool } from '../validate/known-keys.ts';
import type { Problems } from '../validate/problems.ts';
import type { Platform, Toolbox } from './toolbox.ts';

/** Where the tools of an agent come from. */
export type ToolSources = {
  readonly toolbox: Toolbox;
  readonly platform: Platform;
  readonly languages: readonly Language[];
  /** The agent has a small window, and gets fewer control tools. */
  readonly isSmall: boolean;
  /** The agent has the tools of the long-term memory. */
  readonly hasMemoryTools: boolean;
  readonly delegation: DelegationSettings;
  readonly knowledge?: KnowledgeSpace | undefined;
  /** Tools of reachable servers. */
  readonly served: readonly Tool[];
  readonly problems: Problems;
};

/** The tools that one entry of a list names. */
export function findTools(
  entry: AnyTool | string,
  agent: string,
  selecting: ToolSources,
): readonly Tool[] {
  return typeof entry === 'string'
    ? offeredTools(entry, agent, selecting)
    : ownTool(entry, agent, selecting);
}

function ownTool(
  entry: AnyTool,
  agent: string,
  { toolbox, problems }: ToolSources,
): readonly Tool[] {
  const tool = toolbox.compile(entry, agent);
  if (!tool) problems.add(`agent “${agent}”: a tool in its list was not made by defineTool`);
  if (isDefinition('tool', entry)) {
    const { definition } = toolbox.loaded;
    const wrong = [
      ...unknownInTool(entry),
      ...delegationProblems(entry, definition),
      ...rootProblems(entry.input, `input of tool “${entry.id}”`),
      ...jsonSchemaProblems(entry.input, `input of tool “${entry.id}”`, presetsOf(entry)),
      ...(entry.output ? jsonSchemaProblems(entry.output, `output of tool “${entry.id}”`) : []),
    ];
    for (const problem of wrong) problems.add(problem);
  }
  return tool ? [tool] : [];
}

/** The bundle sets presets itself, so they need not be JSON. */
function presetsOf({ options: { preset = {} } }: ToolDefinition): readonly string[] {
  return Object.keys(preset);
}

function offeredTools(
  entry: string,
  agent: string,
  { toolbox, platform, served, languages, problems }: ToolSources,
): readonly Tool[] {
  const offered = [...platform.tools, ...served];
  const found = offered.filter(({ spec }) => matchesPattern(entry, spec.id));
  const servers = toolbox.loaded.definition.mcp?.use ?? [];
  const elsewhere =
    platform.absent.some((id) => matchesPattern(entry, id)) ||
    servers.some(({ id }) => isOfServer(entry, id));
  if (found.length === 0 && !elsewhere) {
    const why = entry.startsWith('mcp.')
      ? 'the bundle does not use this MCP server'
      : 'list your own tools as values';
    problems.add(`agent “${agent}”: no built-in tool matches “${entry}”; ${why}`);
  }
  return found.filter(
    ({ spec }) => spec.language === undefined || languages.includes(spec.language),
  );
}

/** Whether a list entry may match tools of this server, whatever their names. */
function isOfServer(entry: string, server: string): boolean {
  const [first, name = ''] = entry.split('.');
  return (
    first === 'mcp' &&
    (name.includes('*') || entry.split('.').length > 2) &&
    matchesPattern(name, server)
  );
}

/** Whether any list of the agent may match tools of the server. */
export function usesServer({ tools = [], groups = {} }: AgentDefinition, server: string): boolean {
  const entries = [...tools, ...Object.values(groups).flatMap((group) => group.tools)];
  return entries.some((entry) => typeof entry === 'string' && isOfServer(entry, server));
}

const toolIdShape = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/;

export function checkToolIds(agent: string, tools: readonly Tool[], problems: Problems): void {
  const ids = tools.map(({ spec }) => spec.id);
  const add = (problem: string) => problems.add(`agent “${agent}”: ${problem}`);
  for (const [index, { spec }] of tools.entries()) {
    if (ids.indexOf(spec.id) !== index) add(`duplicate tool “${spec.id}”`);
    if (spec.kind === 'bundle') for (const problem of problemsOf(spec)) add(problem);
  }
  for (const same of createToolNames(ids).collisions) {
    const named = same.map((id) => `“${id}”`).join(' and ');
    add(`tools ${named} would both be “${wireName(same[0] ?? '')}” in native tool calling`);
  }
}

function problemsOf({ id, description }: Tool['spec']): readonly string[] {
  if (id.trim() === '') return [`a tool has no id (“${description.slice(0, 60)}”)`];
  const found: string[] = [];
  if (/^(react|mcp)\./.test(id)) found.push(`tool “${id}” is reserved`);
  if (!toolIdShape.test(id)) found.push(`tool “${id}” must have the form alias.name in snake_case`);
  if (description.trim() === '') found.push(`tool “${id}” has no description`);
  return found;
}
