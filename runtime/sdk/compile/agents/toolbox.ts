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

/** The tools the runtime itself offers. */
export type Platform = {
  readonly tools: readonly Tool[];
  /** Ids that exist but cannot work here; naming them is no mistake. */
  readonly absent: readonly string[];
  /** Runs scripts of bundles, or says why nothing here can. Absent: nothing calls tools here. */
  readonly runScript?: RunScript;
  readonly prepareScript?: PrepareProgram;
};

/** The compiled tools of one bundle, by definition and agent, and the hooks around them. */
export interface Toolbox {
  readonly loaded: LoadedBundle;
  readonly hooks: CompiledHooks;
  /** The hooks of the bundle where its code is: here, or elsewhere. */
  readonly hookRunner: HookRunner;
  /** Compiled once per agent; undefined: not made by defineTool. */
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
  if (hooks.runtime.event) loaded.eventHooks.admitEvent = hooks.runtime.event;
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

/** The executor of a script may start while its call is being written. */
function withPrepare(tool: Tool, definition: ToolDefinition, prepare?: PrepareProgram): Tool {
  const language = scriptLanguage(definition);
  if (!language || !prepare) return tool;
  return { ...tool, prepare: (rights, seen) => prepare(language, rights, seen) };
}

/** The agent's own form of a tool goes before that of another agent. */
function findTool(id: string, shelves: readonly ReadonlyMap<ToolDefinition, Tool>[]) {
  return shelves.flatMap((shelf) => [...shelf]).find(([tool]) => tool.id === id);
}
