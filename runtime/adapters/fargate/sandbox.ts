import type { CellKind } from '../../../supervisor/cell/cell.ts';
import { defaultProfile, type Profile } from '../../../supervisor/cell/profile.ts';
import { createSandbox } from '../../../supervisor/execution/create-sandbox.ts';
import type { Scope } from '../../base/scope.ts';
import type { Sandbox } from '../../tools/ports/sandbox.ts';
import { Secrets } from './aws/secrets.ts';
import { Tasks } from './aws/tasks.ts';
import { openFargateCell } from './cell/open-cell.ts';
import type { SandboxParts } from './cell/sandbox-parts.ts';
import { openOwner } from './executions/owners.ts';
import { openExecutionReaper } from './executions/reap.ts';

type Options = Omit<SandboxParts, 'tasks' | 'secrets' | 'owner' | 'profile'> & {
  /** Warm tasks for each kind of program; none if undefined. */
  readonly pool?: number;
  readonly profile?: Profile;
  /** Resources that the sandbox uses; closed after it. */
  readonly scope: Scope;
};

/** Runs generated code in AWS Fargate tasks: one supervisor and one executor for each execution. */
export async function openFargateSandbox(options: Options): Promise<Sandbox & AsyncDisposable> {
  const { settings, bucket, snapshots, blobs, clock, log, pool = 0 } = options;
  const { profile = defaultProfile, scope } = options;
  const tasks = scope.own(new Tasks(settings));
  const secrets = scope.own(new Secrets(settings));
  const { name: owner } = scope.own(await openOwner({ bucket, clock, log }));
  scope.own(openExecutionReaper({ tasks, secrets, bucket }, { clock, log }));
  const parts = { settings, tasks, secrets, bucket, snapshots, blobs, profile, clock, log, owner };
  return createSandbox({
    backend: 'fargate',
    // The containers of a task have one network.
    sharesNetwork: true,
    open: (kind: CellKind, way) => openFargateCell(kind, parts, way),
    // `Tasks.run` retries on its own where a retry can help.
    startsMax: 1,
    ...{ pool, profile, blobs, clock, log, scope },
  });
}
