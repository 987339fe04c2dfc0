import { buildCell } from '../../../../supervisor/cell/build-cell.ts';
import type { Cell, CellKind } from '../../../../supervisor/cell/cell.ts';
import type { Scope } from '../../../base/scope.ts';
import { Work } from '../../../base/signal.ts';
import { awaitReady, tolerateFailures } from '../aws/watch-task.ts';
import { FargateCell } from './fargate-cell.ts';
import { diskQuotasOf } from './launch-options.ts';
import type { SandboxParts } from './sandbox-parts.ts';
import { startTask } from './start-task.ts';

type Waits = { readonly signal: AbortSignal };

/** Starts a task and waits until its supervisor reports that it is ready. Removes everything if it does not. */
export async function openFargateCell(
  kind: CellKind,
  parts: SandboxParts,
  { signal }: Waits,
): Promise<Cell> {
  return buildCell({ signal }, (scope) => build(kind, parts, { scope, signal }));
}

async function build(
  kind: CellKind,
  parts: SandboxParts,
  { scope, signal }: Waits & { scope: Scope },
): Promise<Cell> {
  const { tasks } = parts;
  const work = scope.own(new Work(new AbortController().signal));
  const { arn, folder, queue } = await startTask(kind, parts, { scope, work, signal });
  scope.defer(() => work.stop('shutdown'));
  const messages = queue.receive();
  const describe = tolerateFailures((waits) => tasks.describe(arn, { signal: waits }));
  await awaitReady(messages, { describe, signal });
  const stop = (reason: string) => tasks.stop(arn, reason);
  const snapshots = parts.snapshots(folder);
  const { fileMb } = kind.limits;
  const quotas = diskQuotasOf(kind, parts.profile);
  const deps = { queue, messages, describe, stop, snapshots, fileMb, quotas, scope, work };
  return new FargateCell({ ...deps, blobs: parts.blobs, log: parts.log });
}
