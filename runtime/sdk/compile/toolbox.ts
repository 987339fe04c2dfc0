import { Fault } from '../../base/fault.ts';
import { isJsonObject } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import type { PrepareProgram } from '../../tools/exec/prepare.ts';
import type { RunScript } from '../../tools/exec/run-script.ts';
import type { CallContext, Tool, ToolResult } from '../../tools/tool.ts';
import type { AnyTool, ToolContext } from '../context.ts';
import { isDefinition } from '../definition.ts';
import type { ToolDefinition } from '../tool.ts';
import type { Loaded } from './host.ts';
import { toJson } from './schema.ts';
import { scriptLanguage } from './scripts.ts';
import type { Supervisor } from './supervisor.ts';
import { compileTool } from './tool.ts';

/** The tools the runtime itself offers. */
export type Platform = {
  readonly tools: readonly Tool[];
  /** Ids that exist but cannot work here; naming them is no mistake. */
  readonly absent: readonly string[];
  /** Runs scripts of bundles, or says why nothing here can. Absent: nothing calls tools here. */
  readonly runScript?: RunScript;
  readonly prepareScript?: PrepareProgram;
};

/** The compiled tools of one bundle, by definition and agent. */
export interface Toolbox {
  readonly loaded: Loaded;
  /** Compiled once per agent; undefined: not made by defineTool. */
  compile(tool: AnyTool, agent: string): Tool | undefined;
}

export function createToolbox(
  loaded: Loaded,
  supervisor: Supervisor,
  { prepareScript }: Pick<Platform, 'prepareScript'> = {},
): Toolbox {
  const compiled = new Map<string, Map<ToolDefinition, Tool>>();
  const toolsOf = (agent: string): Map<ToolDefinition, Tool> => {
    const tools = compiled.get(agent) ?? new Map<ToolDefinition, Tool>();
    compiled.set(agent, tools);
    return tools;
  };
  return {
    loaded,
    compile: (tool, agent) => {
      if (!isDefinition('tool', tool)) return undefined;
      const tools = toolsOf(agent);
      const known = tools.get(tool);
      if (known) return known;
      const callFrom = (call: CallContext) =>
        createCall((id) => findTool(id, [tools, ...compiled.values()]), call);
      const compiledTool = compileTool(tool, { loaded, agent, callFrom });
      const made = prepared(supervisor.tool(compiledTool, agent), tool, prepareScript);
      tools.set(tool, made);
      return made;
    },
  };
}

/** The executor of a script may start while its call is being written. */
function prepared(tool: Tool, definition: ToolDefinition, prepare?: PrepareProgram): Tool {
  const language = scriptLanguage(definition);
  if (!language || !prepare) return tool;
  return { ...tool, prepare: (rights, seen) => prepare(language, rights, seen) };
}

/** The agent's own form of a tool goes before that of another agent. */
function findTool(id: string, shelves: readonly ReadonlyMap<ToolDefinition, Tool>[]) {
  return shelves.flatMap((shelf) => [...shelf]).find(([tool]) => tool.id === id);
}

/** `ctx.call`: one tool of the bundle calls another. */
function createCall(
  find: (id: string) => readonly [ToolDefinition, Tool] | undefined,
  call: CallContext,
): ToolContext['call'] {
  let count = 0;
  return async (key, input) => {
    const found = find(key.id);
    if (!found) throw new Fault('NOT_IN_BUNDLE', { because: `tool ${key.id}` });
    const [definition, tool] = found;
    const json = toJson(input);
    const given = isJsonObject(json) ? json : {};
    count += 1;
    const result = call.callTool
      ? await call.callTool(key.id, given)
      : await runWithin(tool, given, { ...call, key: `${call.key}.${count}` });
    if (!result.ok) throw toThrown(result);
    return typedResult(key, definition, result.ret);
  };
}

async function runWithin(tool: Tool, input: Parameters<Tool['parse']>[0], call: CallContext) {
  const parsed = tool.parse(input);
  if (parsed.ok) return (await tool.run(parsed.input, call)).result;
  const message = parsed.violations.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return { ok: false, error: { code: 'invalid_input', message, retryable: true } } as const;
}

function toThrown({ error }: Extract<ToolResult, { ok: false }>): Error {
  return new Refusal(error.code, error.message, { retryable: error.retryable });
}

/** The tool's definition is the proof of its result's type. */
async function typedResult<O>(
  _proof: { '~result'?: O },
  { output }: ToolDefinition,
  ret: unknown,
): Promise<O> {
  return (output ? await output.parseAsync(ret) : ret) as O;
}
