import type { ProjectScope } from '../../../timeline/ports/store.ts';
import type { TelegramConfig } from './surface-settings.ts';

/** A tenant and project beside the installation's own. */
export type ProjectConfig = ProjectScope & {
  /** Ids of its bundles. Undefined: all. */
  readonly bundles?: readonly string[] | undefined;
  readonly telegram?: TelegramConfig | undefined;
};

/** The installation's own tenant and project. */
export function homeOf({ tenant = 'dev', project = 'dev' }: AssemblyNames): ProjectScope {
  return { tenant, project };
}

type AssemblyNames = {
  readonly tenant?: string | undefined;
  readonly project?: string | undefined;
};

type Sources = {
  readonly home: ProjectScope;
  readonly projects: readonly ProjectConfig[];
  /** In `bundles.secrets.yaml`. */
  readonly secretOwners: readonly string[];
  place(name: 'gateway.yaml' | 'bundles.secrets.yaml', path: readonly (string | number)[]): string;
  readonly problems: string[];
};

/** Adds a problem for each project that is named twice, and for each secret of a project that is not served. */
export function checkProjects({ home, projects, secretOwners, place, problems }: Sources): void {
  const names = [home, ...projects].map(nameOf);
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) === index) continue;
    problems.push(`${place('gateway.yaml', ['projects', index - 1])}: ${name} is named twice`);
  }
  for (const owner of secretOwners.filter((each) => each.includes('/'))) {
    const [tenant = '', project = '', bundle] = owner.split('/');
    const isServed = projects.some((each) => nameOf(each) === `${tenant}/${project}`);
    if (isServed && bundle) continue;
    const fix = 'name <bundle>, or <tenant>/<project>/<bundle> with a project from gateway.yaml';
    problems.push(`${place('bundles.secrets.yaml', [owner])}: “${owner}” is not served; ${fix}`);
  }
}

/** The name under which `bundles.secrets.yaml` has the secrets of a bundle in a project. */
export function secretOwner({ tenant, project }: ProjectScope, bundle: string): string {
  return `${nameOf({ tenant, project })}/${bundle}`;
}

/** The installation's own tenant and project, and those beside it. */
export function placesOf(config: ProjectScope & { projects: readonly ProjectScope[] }) {
  return [config, ...config.projects].map(({ tenant, project }) => ({ tenant, project }));
}

export function nameOf({ tenant, project }: ProjectScope): string {
  return `${tenant}/${project}`;
}
