import { Hono } from 'hono';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import { type Authenticate, createAuthenticate } from '../auth/authenticate.ts';
import type { AttachmentServices } from '../files/host-attachments.ts';
import type { Env } from '../http/context.ts';
import { Intake } from '../intake/intake.ts';
import type { GatewayDeps } from '../ports/gateway-deps.ts';
import type { Projects } from './projects.ts';

/** A tenant and project behind the gateway. Its routes are added later; they have nothing of another project. */
export type OpenProject = {
  readonly scope: ProjectScope;
  readonly deps: GatewayDeps;
  readonly intake: Intake;
  readonly authenticate: Authenticate;
  readonly app: Hono<Env>;
};

export type OpenProjects = Projects<OpenProject>;

type Parts = {
  readonly files: AttachmentServices;
  /** The installation's own. */
  readonly home: ProjectScope;
  readonly host: string;
};

export function openProject(deps: GatewayDeps, { files, home, host }: Parts): OpenProject {
  const { scope } = deps;
  return {
    scope,
    deps,
    intake: new Intake(deps, files),
    authenticate: createAuthenticate(deps.auth, { served: [scope], home, host }),
    app: new Hono<Env>(),
  };
}

/** How many messages there were, by what became of them. */
export function messageCounts(intakes: readonly Pick<Intake, 'counts'>[]): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const [name, n] of intakes.flatMap(({ counts }) => Object.entries(counts))) {
    const total = `messages_${name}_total`;
    totals[total] = (totals[total] ?? 0) + n;
  }
  return totals;
}
