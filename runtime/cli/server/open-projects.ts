import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import type { Scope } from '../../base/scope.ts';
import { createBundleEvents } from '../../gateway/intake/bundle-events.ts';
import { openBundles } from '../bundles/open-bundles.ts';
import { openServers } from '../bundles/open-tool-servers.ts';
import type { ConfiguredBundle } from '../config/bundle-settings.ts';
import type { Config } from '../config/config.ts';
import { nameOf, type ProjectConfig, secretOwner } from '../config/projects/project-settings.ts';
import type { ServedProject, ServedProjects } from '../wiring/live-projects.ts';
import type { ProjectJobs } from '../wiring/open-jobs.ts';
import type { Ports } from '../wiring/open-runtime.ts';

type BundleOptions = Omit<Parameters<typeof openBundles>[1], 'configured' | 'post' | 'servers'>;
type Options = BundleOptions & {
  readonly ports: Ports;
  readonly works: boolean;
  readonly log: Log;
  readonly scope: Scope;
};
/** Opens the configured bundles for every project that is served. Faults `BUNDLE_INVALID`, `CONFIG_INVALID`. */
export type OpenProjects = (configured: readonly ConfiguredBundle[]) => Promise<ServedProjects>;

/**
 * Every project has bundles of its own: their resources, props, secrets of the bundle and of users, events, jobs and
 * connections to MCP servers are not those of another project.
 */
export function createProjects(config: Config, { ports, works, ...shared }: Options): OpenProjects {
  const openable = ({ tenant, project, bundles: ids }: ProjectConfig, own: Config) => {
    const place = { tenant, project };
    const post = createBundleEvents(ports, place);
    const servers = openServers(own, { log: shared.log, scope: shared.scope, works });
    return async (all: readonly ConfiguredBundle[]): Promise<ServedProject> => {
      const configured = selected(all, ids, place);
      const options = { ...shared, configured, post, ...(servers && { servers }) };
      return { place, bundles: await openBundles(own, options) };
    };
  };
  const openHome = openable(config, config);
  const openOthers = config.projects.map((each) => openable(each, configOf(config, each)));
  return async (all) => {
    const home = await openHome(all);
    const others: ServedProject[] = [];
    for (const open of openOthers) others.push(await open(all));
    return [home, ...others];
  };
}

/** The agents that call models. A gateway without a worker uses models only for operations of bundles. */
export function callersIn(projects: ServedProjects, works: boolean) {
  return projects.map(({ place, bundles }) => {
    const calling = bundles.filter(({ operations }) => works || operations.length > 0);
    return { place, agents: calling.flatMap(({ agents }) => agents) };
  });
}

/** Their jobs, with those of the runtime itself, which run once for all projects. */
export function withSystem(
  [home, ...others]: ServedProjects,
  system: ProjectJobs['bundles'][number],
): readonly ProjectJobs[] {
  return [{ ...home, bundles: [...home.bundles, system] }, ...others];
}

/** The bundles of each project, and the configuration that holds there. Fault `CONFIG_INVALID`. */
export function bundlesByProject(config: Config, all: readonly ConfiguredBundle[]) {
  const own = { name: undefined, config, configured: all };
  const others = config.projects.map((each) => ({
    name: nameOf(each),
    config: configOf(config, each),
    configured: selected(all, each.bundles, each),
  }));
  return [own, ...others];
}

/** Its secrets of bundles are only those that are set for it. */
function configOf(config: Config, { tenant, project }: ProjectConfig): Config {
  const place = { tenant, project };
  return {
    ...{ ...config, ...place },
    secret: (bundle, id) => config.secret(secretOwner(place, bundle), id),
  };
}

/** Fault `CONFIG_INVALID` if a project names a bundle that is not loaded. */
function selected(
  all: readonly ConfiguredBundle[],
  ids: readonly string[] | undefined,
  { tenant, project }: ServedProject['place'],
): readonly ConfiguredBundle[] {
  if (ids === undefined) return all;
  const loaded = all.map(({ definition }) => definition.id);
  const unknown = ids.filter((id) => !loaded.includes(id));
  if (unknown.length === 0)
    return ids.flatMap((id) => all.filter(({ definition }) => definition.id === id));
  const there = `loaded bundles: ${loaded.join(', ')}`;
  const because = `gateway.yaml: projects: ${tenant}/${project}: not found: ${unknown.join(', ')}; ${there}`;
  throw new Fault('CONFIG_INVALID', { because });
}
