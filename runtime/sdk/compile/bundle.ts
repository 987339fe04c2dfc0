import type { AgentOptions } from '../agent.ts';
import type { Bundle } from '../bundle.ts';
import { bundleOf } from '../definition.ts';
import type { RuntimeBundle } from '../runtime-bundle.ts';
import type { Ceilings } from './agent-options.ts';
import { compileAgents } from './agents.ts';
import type { BundleHost } from './host.ts';
import type { GivenProps } from './live-props.ts';
import { openLoaded } from './loaded.ts';
import { openAgents } from './open-agents.ts';
import { checkIds, createProblems } from './problems.ts';
import { readScripts } from './scripts.ts';
import { inWorker, type Supervise } from './supervisor.ts';
import { compileSurfaces } from './surfaces.ts';
import { createToolbox, type Platform } from './toolbox.ts';

export type CompileOptions = GivenProps & {
  /** Folder of the bundle. */
  readonly dir: string;
  readonly revision: string;
  readonly host: BundleHost;
  readonly platform: Platform;
  /** What the installation says where an agent is silent. */
  readonly defaults?: AgentOptions;
  /** What the operator says, by agent. */
  readonly agents?: Readonly<Record<string, AgentOptions>>;
  readonly ceilings?: Ceilings;
  /** Who runs the bundle's code; this process unless told. */
  readonly supervise?: Supervise;
  readonly signal: AbortSignal;
};

/** A definition made ready to serve turns. Fault `BUNDLE_INVALID` names everything that is wrong with it. */
export async function compileBundle(
  given: Bundle,
  options: CompileOptions,
): Promise<RuntimeBundle> {
  const bundle = bundleOf(given);
  const problems = createProblems();
  checkIds('bundle', [bundle.id], problems);
  const { dir, platform } = options;
  const runScript = await readScripts(bundle, { dir, run: platform.runScript, problems });
  const loaded = openLoaded(bundle, { ...options, runScript }, problems);
  const supervisor = (options.supervise ?? inWorker)(loaded);
  const notices: string[] = [];
  const notice = (text: string) => notices.push(text);
  const toolbox = createToolbox(loaded, supervisor, platform);
  const told = { supervisor, problems, notice };
  const equips = await compileAgents(loaded, { ...options, ...told, toolbox });
  if (equips.length === 0) problems.add('it has no agent');
  const surfaces = await compileSurfaces(loaded, { ...options, ...told, equips });
  problems.settle(bundle.id, notices);
  const { hooks } = toolbox;
  const agents = await openAgents(loaded, equips, { ...options, supervisor, notice });
  for (const text of notices) options.host.log.warn('bundle notice', { bundle: bundle.id, text });
  const { id, version, title = id } = bundle;
  return {
    ...{ id, version, title, ...surfaces, notices, revision: options.revision },
    ...(hooks.runtime.event && { admitEvent: hooks.runtime.event }),
    get agents() {
      return agents.now();
    },
    warm: () => supervisor.warm(),
    dispose: async () => {
      await hooks[Symbol.asyncDispose]();
      await agents[Symbol.asyncDispose]();
    },
  };
}
