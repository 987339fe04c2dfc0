import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import type { AgentOptions } from '../agent.ts';
import type { AgentSettings } from '../agent-settings.ts';
import type { Bundle, BundleDefinition } from '../bundle.ts';
import { isDefinition } from '../definition.ts';
import type { RuntimeBundle } from '../runtime-bundle.ts';
import { compileAgent } from './agent.ts';
import type { Ceilings } from './agent-options.ts';
import { createContext } from './base-context.ts';
import type { BundleHost, Loaded } from './host.ts';
import { createMask } from './mask.ts';
import { checkIds, createProblems, type Problems } from './problems.ts';
import { openResourcePool } from './resources.ts';
import { toSentence, toViolations } from './schema.ts';
import { loadSkills } from './skills.ts';
import { compileKinds, compileWidgets, unservedSurfaces } from './surfaces.ts';
import { createToolbox, type Platform } from './toolbox.ts';

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
  const loaded = toLoaded(bundle, options, problems);
  const notices = unservedSurfaces(bundle).slice();
  const notice = (text: string) => notices.push(text);
  const agents = await compileAgents(loaded, { options, problems, notice });
  const kinds = compileKinds(bundle.events ?? [], problems);
  const widgets = await compileWidgets(bundle.widgets ?? [], { ...options, problems, notice });
  refuseHooks(bundle, problems);
  const [first, ...rest] = agents;
  if (!first) problems.add('it has no agent');
  problems.settle(bundle.id);
  if (!first) throw new Fault('BUNDLE_INVALID', { because: `${bundle.id}: it has no agent` });
  await load(loaded, options.signal);
  for (const text of notices) options.host.log.warn('bundle notice', { bundle: bundle.id, text });
  const { id, version, title = id } = bundle;
  return {
    ...{ id, version, title, kinds, widgets, notices, revision: options.revision },
    agents: [first, ...rest],
    async dispose() {
      await bundle.dispose?.();
      await loaded.resources[Symbol.asyncDispose]();
    },
  };
}

function toLoaded(
  definition: BundleDefinition,
  { dir, revision, host, props }: CompileOptions,
  problems: Problems,
): Loaded {
  return {
    ...{ definition, dir, revision, host },
    mask: createMask(),
    resources: openResourcePool(),
    props: propsOf(definition, props ?? {}, problems),
  };
}

function propsOf(bundle: BundleDefinition, given: JsonObject, problems: Problems) {
  const { props } = bundle;
  if (!isDefinition('props', props)) {
    const keys = Object.keys(given);
    if (keys.length > 0) problems.add(`it has no props, but is given ${keys.join(', ')}`);
    return {};
  }
  const unknown = Object.keys(given).filter((key) => !(key in props.schema.shape));
  if (unknown.length > 0) problems.add(`it has no props ${unknown.join(', ')}`);
  const parsed = props.schema.safeParse(given);
  if (parsed.success) return Object.freeze(parsed.data);
  problems.add(`its props do not fit: ${toSentence(toViolations(parsed.error))}`);
  return {};
}

type Compiling = {
  readonly options: CompileOptions;
  readonly problems: Problems;
  notice(text: string): void;
};

async function compileAgents(
  loaded: Loaded,
  { options, problems, notice }: Compiling,
): Promise<readonly AgentSettings[]> {
  const { definition, dir } = loaded;
  const agents = definition.agents ?? [];
  const overrides = options.agents ?? {};
  const ids = agents.map(({ id }) => id);
  checkIds('agent', ids, problems);
  for (const id of Object.keys(overrides)) {
    if (!ids.includes(id)) problems.add(`it has no agent “${id}” to set`);
  }
  const home = {
    toolbox: createToolbox(loaded),
    platform: options.platform,
    skills: await skillsOf(definition, { dir, problems, notice }),
    defaults: options.defaults ?? {},
    ceilings: options.ceilings ?? {},
    problems,
  };
  const compiled: AgentSettings[] = [];
  for (const agent of agents) {
    if (isDefinition('agent', agent)) {
      compiled.push(await compileAgent(agent, { ...home, override: overrides[agent.id] ?? {} }));
    } else problems.add('an agent was not made by defineAgent');
  }
  return compiled;
}

async function skillsOf(
  bundle: BundleDefinition,
  { dir, problems, notice }: { dir: string; problems: Problems; notice(text: string): void },
) {
  try {
    return await loadSkills(bundle.skills ?? [], { bundle: bundle.id, dir, notice });
  } catch (error) {
    problems.add(`its skills cannot be read: ${error instanceof Error ? error.message : error}`);
    return [];
  }
}

/** A guard that is not kept would be worse than none: the bundle does not load. */
function refuseHooks({ hooks = [] }: BundleDefinition, problems: Problems): void {
  for (const { id } of hooks) problems.add(`hook “${id}” cannot be kept by this installation`);
}

async function load(loaded: Loaded, signal: AbortSignal): Promise<void> {
  const { definition, revision, host } = loaded;
  const ids = { tenant: host.tenant, project: host.project, bundle: definition.id, revision };
  const log = host.log.with({ bundle: definition.id });
  try {
    await definition.onLoad?.(createContext(loaded, { ids, signal, log }));
  } catch (cause) {
    const because = `${definition.id}: onLoad: ${cause instanceof Error ? cause.message : cause}`;
    throw new Fault('BUNDLE_INVALID', { because }, { cause });
  }
}
