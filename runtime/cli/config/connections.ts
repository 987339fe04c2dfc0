import type { Retention } from '../../engine/background/delete-idle.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import { type AgentPrograms, toAgentPrograms } from './agents/agent-programs.ts';
import type { Descriptors } from './descriptors.ts';
import { type MemoryConfig, toMemory, toRetention } from './memory-settings.ts';
import { checkProjects, homeOf, type ProjectConfig } from './projects/project-settings.ts';
import { type TelegramConfig, toBots } from './projects/surface-settings.ts';
import { type DispatchConfig, toDispatch, toWeb, type WebConfig } from './web-settings.ts';

/** Tenants and projects that this installation serves, and services of others that it uses. */
export type Connections = ProjectScope & {
  readonly telegram: TelegramConfig | undefined;
  readonly web: WebConfig;
  readonly dispatch: DispatchConfig;
  readonly memory: MemoryConfig;
  /** Undefined: conversations are kept. */
  readonly retention: Retention | undefined;
  /** Undefined: no agent programs are installed. */
  readonly agentPrograms: AgentPrograms | undefined;
  /** Tenants and projects that are served beside the installation's own. */
  readonly projects: readonly ProjectConfig[];
  /** For git repositories over https. */
  readonly gitToken: string | undefined;
};

type Sources = {
  readonly descriptors: Descriptors;
  readonly problems: string[];
  /** Value of a secret of the platform, else of the environment. */
  secret(name: string): string | undefined;
};

export function toConnections({ descriptors, problems, secret }: Sources): Connections {
  const { gateway, assembly, bundles, bundleSecrets, place } = descriptors;
  const { projects = [] } = gateway;
  const home = homeOf(assembly);
  checkProjects({
    ...{ home, projects, place, problems },
    secretOwners: Object.keys(bundleSecrets),
  });
  const [own, ...others] = toBots([gateway, ...projects], { secret, place, problems });
  return {
    ...home,
    projects: projects.map(({ surfaces: _, ...project }, index) => ({
      ...project,
      telegram: others[index],
    })),
    telegram: own,
    web: toWeb(assembly.web, {
      secret,
      place: place('assembly.yaml', ['web', 'search']),
      problems,
    }),
    dispatch: toDispatch(gateway.dispatch),
    memory: toMemory(assembly.memory, secret),
    retention: toRetention(assembly.retention, bundles?.bundles ?? []),
    agentPrograms: toAgentPrograms(assembly.agents, {
      secret,
      place: place('assembly.yaml', ['agents', 'programs']),
      problems,
    }),
    gitToken: secret('TIMELOOM_GIT_TOKEN'),
  };
}
