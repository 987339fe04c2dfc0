import type { PrepareProgram } from '../../../tools/exec/run/prepare-program.ts';
import type { RunScript } from '../../../tools/exec/scripts/run-script.ts';
import type { CallContext, Tool } from '../../../tools/ports/tool.ts';
import type { HookRunner } from '../../contract/runtime-hooks.ts';
import type { AnyTool } from '../../define/context.ts';
import { isDefinition } from '../../define/definition.ts';
import type { ToolDefinition } from '../../define/tool.ts';
import { type CompiledHooks, compileHooks } from '../hooks/compile-hooks.ts';
import { createHookRunner } from '../hooks/hook-runner.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import { scriptLanguage } from '../host/scripts.ts';
import type { Supervisor } from '../lifecycle/supervisor.ts';
import { createCall } from '../tools/call-tool.ts';
import { compileTool } from '../tools/compile-tool.ts';

/** The tools that the runtime itself offers. */
export type Platform = {
  readonly tools: readonly Tool[];
  /** Ids that exist but are not available here. Listing them is not an error. */
  readonly absent: readonly string[];
  /** Runs scripts of bundles, or explains why that is not possible here. Absent: nothing calls tools here. */
  readonly runScript?: RunScript;
  readonly prepareScript?: PrepareProgram;
};

/** The compiled tools of one bundle, by definition and agent, and the hooks around them. */
export interface Toolbox {
  readonly loaded: LoadedBundle;
  readonly hooks: CompiledHooks;
  /** Runs the bundle's hooks in the process that holds its code. */
  readonly hookRunner: HookRunner;
  /** Compiles a tool once per agent. Undefined if it was not made by defineTool. */
  compile(tool: AnyTool, agent: string): Tool | undefined;
}

export function createToolbox(
  loaded: LoadedBundle,
  supervisor: Supervisor,
  { prepareScript }: Pick<Platform, 'prepareScript'> = {},
): Toolbox {
  const compiled = new Map<string, Map<ToolDefinition, Tool>>();
  const toolsOf = (agent: string): Map<ToolDefinition, Tool> => {
    const tools = compiled.get(agent) ?? new Map<ToolDefinition, Tool>();
    compiled.set(agent, tools);
    return tools;
  };
  const found = (agent: string) => (id: string) =>
    findTool(id, [toolsOf(agent), ...compiled.values()]);
  const hookRunner = supervisor.hooks(
    createHookRunner({ loaded, callFrom: (call) => createCall(found(''), call, (tool) => tool) }),
  );
  const hooks = compileHooks(hookRunner, { log: loaded.host.log });
  if (hooks.event) loaded.eventHooks.admitEvent = hooks.event;
  return {
    loaded,
    hooks,
    hookRunner,
    compile: (tool, agent) => {
      if (!isDefinition('tool', tool)) return undefined;
      const tools = toolsOf(agent);
      const known = tools.get(tool);
      if (known) return known;
      const callFrom = (call: CallContext) =>
        createCall(found(agent), call, (called) => hooks.within(called, agent));
      const compiledTool = compileTool(tool, { loaded, agent, callFrom });
      const made = withPrepare(supervisor.tool(compiledTool, agent), tool, prepareScript);
      tools.set(tool, made);
      return made;
    },
  };
}

/** The executor of a script may start while the model still writes the call. */
function withPrepare(tool: Tool, definition: ToolDefinition, prepare?: PrepareProgram): Tool {
  const language = scriptLanguage(definition);
  if (!language || !prepare) return tool;
  return { ...tool, prepare: (rights, seen) => prepare(language, rights, seen) };
}

/** Prefers the agent's own form of a tool to that of another agent. */
function findTool(id: string, toolMaps: readonly ReadonlyMap<ToolDefinition, Tool>[]) {
  return toolMaps.flatMap((tools) => [...tools]).find(([tool]) => tool.id === id);
}
