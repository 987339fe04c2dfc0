import type { AgentChoice, AgentHold } from '../../engine/ports/engine.ts';
import type { RuntimeBundle } from '../../sdk/contract/runtime-bundle.ts';
import type { ServedSurface } from '../../sdk/contract/surface.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import { LiveAgents } from './live-agents.ts';

/** A tenant and project, with bundles of its own. */
export type ServedProject = {
  readonly place: ProjectScope;
  readonly bundles: readonly [RuntimeBundle, ...RuntimeBundle[]];
};
/** The first is the installation's own. */
export type ServedProjects = readonly [ServedProject, ...ServedProject[]];

/** A messenger of one of them. */
export type ProjectSurface = ServedSurface & { readonly place: ProjectScope };

export function surfacesIn(
  surfaces: readonly ProjectSurface[],
  { tenant, project }: ProjectScope,
): readonly ProjectSurface[] {
  return surfaces.filter(({ place }) => place.tenant === tenant && place.project === project);
}

type LiveProject = { readonly place: ProjectScope; readonly agents: LiveAgents };

/** The serving bundles of every project. No project can reach the bundles of another. */
export class LiveProjects implements AsyncDisposable {
  readonly home: LiveProject;
  readonly others: readonly LiveProject[];

  constructor(
    [home, ...others]: ServedProjects,
    options: ConstructorParameters<typeof LiveAgents>[1],
  ) {
    const open = ({ place, bundles }: ServedProject) => {
      return { place, agents: new LiveAgents(bundles, options) };
    };
    this.home = open(home);
    this.others = others.map(open);
  }

  get all(): readonly LiveProject[] {
    return [this.home, ...this.others];
  }

  /** Without a project: the installation's own. */
  engage(choice: AgentChoice, project?: ProjectScope) {
    return project ? this.#of(project)?.engage(choice) : this.home.agents.engage(choice);
  }

  /** A project that is not served any more has no agents. */
  hold(project: ProjectScope): AgentHold {
    const nothing: AgentHold = { agent: () => undefined, [Symbol.dispose]: () => undefined };
    return this.#of(project)?.hold() ?? nothing;
  }

  /** Makes these bundles the serving ones; the projects are the same. */
  replace(projects: ServedProjects): void {
    for (const { place, bundles } of projects) this.#of(place)?.replace(bundles);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.all.map(({ agents }) => agents[Symbol.asyncDispose]()));
  }

  #of({ tenant, project }: ProjectScope): LiveAgents | undefined {
    const isNamed = ({ place }: LiveProject) =>
      place.tenant === tenant && place.project === project;
    return this.all.find(isNamed)?.agents;
  }
}
