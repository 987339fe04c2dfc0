import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import type { AgentOptions } from '../agent.ts';
import type { Bundle, BundleDefinition } from '../bundle.ts';
import { isDefinition } from '../definition.ts';
import type { RuntimeBundle } from '../runtime-bundle.ts';
import type { Ceilings } from './agent-options.ts';
import { compileAgents } from './agents.ts';
import type { BundleHost } from './host.ts';
import { openLoaded } from './loaded.ts';
import { openAgents } from './open-agents.ts';
import { checkIds, createProblems, type Problems } from './problems.ts';
import { readScripts } from './scripts.ts';
import { inWorker, type Supervise } from './supervisor.ts';
import { compileKinds, compileWidgets, unservedSurfaces } from './surfaces.ts';
import type { Platform } from './toolbox.ts';

export type CompileOptions = {
  /** Folder of the bundle. */
  readonly dir: string;
  readonly revision: string;
  readonly host: BundleHost;
  readonly platform: Platform;
  readonly props?: JsonObject;
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
  bundle: Bundle,
  options: CompileOptions,
): Promise<RuntimeBundle> {
  if (!isDefinition('bundle', bundle)) {
    throw new Fault('BUNDLE_INVALID', { because: '`bundle` was not made by defineBundle' });
  }
  const problems = createProblems();
  checkIds('bundle', [bundle.id], problems);
  const { dir, platform } = options;
  const runScript = await readScripts(bundle, { dir, run: platform.runScript, problems });
  const loaded = openLoaded(bundle, { ...options, runScript }, problems);
  const supervisor = (options.supervise ?? inWorker)(loaded);
  const notices = unservedSurfaces(bundle).slice();
  const notice = (text: string) => notices.push(text);
  const equips = await compileAgents(loaded, { ...options, supervisor, problems, notice });
  if (equips.length === 0) problems.add('it has no agent');
  const kinds = compileKinds(bundle.events ?? [], problems);
  const widgets = await compileWidgets(bundle.widgets ?? [], { ...options, problems, notice });
  refuseHooks(bundle, problems);
  problems.settle(bundle.id);
  const agents = await openAgents(loaded, equips, { ...options, supervisor, notice });
  for (const text of notices) options.host.log.warn('bundle notice', { bundle: bundle.id, text });
  const { id, version, title = id } = bundle;
  return {
    ...{ id, version, title, kinds, widgets, notices, revision: options.revision },
    get agents() {
      return agents.now();
    },
    warm: () => supervisor.warm(),
    dispose: () => Promise.resolve(agents[Symbol.asyncDispose]()),
  };
}

/** A guard that is not kept would be worse than none: the bundle does not load. */
function refuseHooks({ hooks = [] }: BundleDefinition, problems: Problems): void {
  for (const { id } of hooks) problems.add(`hook “${id}” cannot be kept by this installation`);
}
