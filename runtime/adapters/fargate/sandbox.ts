import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { CellKind } from '../../../supervisor/cell.ts';
import { createSandbox } from '../../../supervisor/create-sandbox.ts';
import { defaultProfile, type Profile } from '../../../supervisor/profile.ts';
import { Scope } from '../../base/scope.ts';
import type { Sandbox } from '../../tools/sandbox.ts';
import { openFargateCell } from './open-cell.ts';
import type { CellParts } from './parts.ts';
import { reaperOf } from './reap.ts';
import { Secrets } from './secrets.ts';
import { Tasks } from './tasks.ts';

type Options = Omit<CellParts, 'tasks' | 'secrets' | 'owner'> & {
  /** Tasks that wait for each kind of program; none if undefined. */
  readonly pool?: number;
  readonly profile?: Profile;
};

/** Generated code in tasks of AWS Fargate: a supervisor and an executor for each execution. */
export async function openFargateSandbox(options: Options): Promise<Sandbox & AsyncDisposable> {
  const { settings, bucket, snapshots, blobs, clock, log, pool = 0 } = options;
  const { profile = defaultProfile } = options;
  const scope = new Scope();
  const tasks = scope.own(new Tasks(settings));
  const secrets = scope.own(new Secrets(settings));
  scope.own(reaperOf({ tasks, secrets, bucket }, { clock, log }));
  const owner = `${hostname()}/${randomBytes(8).toString('hex')}`;
  const parts = { settings, tasks, secrets, bucket, snapshots, blobs, clock, log, owner };
  return createSandbox({
    backend: 'fargate',
    open: (kind: CellKind, way) => openFargateCell(kind, parts, way),
    ...{ pool, profile, blobs, clock, log, scope },
  });
}
