import type { RuntimeBundle } from '../contract/runtime-bundle.ts';
import type { AgentOptions } from '../define/agent.ts';
import type { Bundle } from '../define/bundle.ts';
import { compileAgents } from './agents/compile-agents.ts';
import { openAgents } from './agents/open-agents.ts';
import { createToolbox, type Platform } from './agents/toolbox.ts';
import { compileSurfaces } from './compile-surfaces.ts';
import type { BundleHost } from './host/bundle-host.ts';
import { readScripts } from './host/scripts.ts';
import { loadBundle } from './lifecycle/bundle-lifecycle.ts';
import type { OperatorProps } from './lifecycle/live-props.ts';
import { inProcess, type Supervise } from './lifecycle/supervisor.ts';
import type { Ceilings } from './settings/agent-options.ts';
import { readDefinition } from './validate/read-definition.ts';

export type CompileOptions = OperatorProps & {
  /** Folder of the bundle. */
  readonly dir: string;
  readonly revision: string;
  readonly host: BundleHost;
  readonly platform: Platform;
  /** Installation defaults for options that an agent leaves out. */
  readonly defaults?: AgentOptions;
  /** Operator settings, by agent id. */
  readonly agents?: Readonly<Record<string, AgentOptions>>;
  readonly ceilings?: Ceilings;
  /** Runs the bundle's code. Default: this process. */
  readonly supervise?: Supervise;
  readonly signal: AbortSignal;
};

/** Compiles a definition so that it can serve turns. Fault `BUNDLE_INVALID` lists everything that is wrong with it. */
export async function compileBundle(
  given: Bundle,
  options: CompileOptions,
): Promise<RuntimeBundle> {
  const { bundle, problems } = readDefinition(given);
  const { dir, platform } = options;
  const runScript = await readScripts(bundle, { dir, run: platform.runScript, problems });
  const loaded = loadBundle(bundle, { ...options, runScript }, problems);
  const supervisor = (options.supervise ?? inProcess)(loaded);
  const notices: string[] = [];
  const notice = (text: string) => notices.push(text);
  const toolbox = createToolbox(loaded, supervisor, platform);
  const report = { supervisor, problems, notice };
  const { equips, ownOf } = await compileAgents(loaded, { ...options, ...report, toolbox });
  const { endpoints, ...surfaces } = await compileSurfaces(loaded, {
    ...{ ...options, ...report },
    equips,
  });
  problems.settle(bundle.id, notices);
  const { hooks } = toolbox;
  const agents = await openAgents(loaded, equips, { ...options, supervisor, notice });
  for (const text of notices) options.host.log.warn('bundle notice', { bundle: bundle.id, text });
  const { id, version, title = id } = bundle;
  return {
    ...{ id, version, title, ...surfaces, notices, revision: options.revision },
    ...(hooks.event && { admitEvent: hooks.event }),
    get agents() {
      return ownOf(agents.now());
    },
    get endpoints() {
      return endpoints(agents.now());
    },
    warm: () => supervisor.warm(),
    dispose: async () => {
      await hooks[Symbol.asyncDispose]();
      await agents[Symbol.asyncDispose]();
    },
  };
}
