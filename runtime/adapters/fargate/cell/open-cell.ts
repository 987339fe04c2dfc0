import { buildCell } from '../../../../supervisor/cell/build-cell.ts';
import type { Cell, CellKind } from '../../../../supervisor/cell/cell.ts';
import type { Scope } from '../../../base/scope.ts';
import { Work } from '../../../base/signal.ts';
import { arrival, patient } from '../aws/watch-task.ts';
import { FargateCell } from './fargate-cell.ts';
import { roomsOf } from './launch-options.ts';
import type { CellParts } from './sandbox-parts.ts';
import { startTask } from './start-task.ts';

type Waits = { readonly signal: AbortSignal };

/** A task whose supervisor has said that it is there. Nothing is left of one that does not come. */
export async function openFargateCell(
  kind: CellKind,
  parts: CellParts,
  { signal }: Waits,
): Promise<Cell> {
  return buildCell({ signal }, (scope) => build(kind, parts, { scope, signal }));
}

async function build(
  kind: CellKind,
  parts: CellParts,
  { scope, signal }: Waits & { scope: Scope },
): Promise<Cell> {
  const { tasks } = parts;
  const work = scope.own(new Work(new AbortController().signal));
  const { arn, folder, mailbox } = await startTask(kind, parts, { scope, work, signal });
  scope.defer(() => work.stop('shutdown'));
  const letters = mailbox.received();
  const look = patient((waits) => tasks.look(arn, { signal: waits }));
  await arrival(letters, { look, signal });
  const stop = (reason: string) => tasks.stop(arn, reason);
  const snapshots = parts.snapshots(folder);
  const { fileMb } = kind.limits;
  const rooms = roomsOf(kind, parts.profile);
  const own = { mailbox, letters, look, stop, snapshots, fileMb, rooms, scope, work };
  return new FargateCell({ ...own, blobs: parts.blobs, log: parts.log });
}
