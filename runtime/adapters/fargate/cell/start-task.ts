import { randomBytes } from 'node:crypto';
import type { CellKind } from '../../../../supervisor/cell/cell.ts';
import { cellLifeMsMax } from '../../../../supervisor/pool/limits.ts';
import type { Scope } from '../../../base/scope.ts';
import type { Work } from '../../../base/signal.ts';
import type { Entry } from '../aws/execution.ts';
import { toTags } from '../aws/tags.ts';
import { enter, remove } from '../executions/registry.ts';
import { folderOf, secretOf } from '../queue/bucket.ts';
import { FromTask, type ToTask } from '../queue/messages.ts';
import { Mailbox } from '../queue/s3-queue.ts';
import { launchMsMax } from '../settings/limits.ts';
import { payloadVariable } from '../settings/settings.ts';
import { launchOf, roomsOf, toPayload } from './launch-options.ts';
import type { CellParts } from './sandbox-parts.ts';

type Started = {
  readonly arn: string;
  readonly folder: string;
  readonly mailbox: Mailbox<ToTask, FromTask>;
};

/**
 * A task with its secret, its folder and the first letter in it; the scope stops it, waits until it is gone, and removes
 * everything. `work`: as long as letters are written and read.
 */
export async function startTask(
  kind: CellKind,
  parts: CellParts,
  { scope, work, signal }: { scope: Scope; work: Work; signal: AbortSignal },
): Promise<Started> {
  const { settings, tasks, secrets, bucket, clock, owner } = parts;
  const cell = `cell-${randomBytes(12).toString('hex')}`;
  const deadlineMs = clock.now() + launchMsMax + cellLifeMsMax;
  const entry = { cell, owner, deadlineMs };
  const tags = toTags(entry);
  const folder = folderOf(cell);
  const key = randomBytes(32);
  let arns: readonly string[] | undefined;
  scope.defer(() => removed(entry, { ...parts, arns }));
  await enter(entry, bucket, { signal });
  const mailbox = new Mailbox<ToTask, FromTask>({
    ...{ objects: bucket, folder, key, side: 'runtime', receives: FromTask, signal: work.signal },
  });
  await mailbox.send({ type: 'welcome' });
  const name = secretOf(cell);
  const rooms = roomsOf(kind, parts.profile);
  const payload = toPayload({ settings, folder, key, deadlineMs, rooms });
  await secrets.create(name, payload, { tags, signal });
  const { memoryMb } = kind.limits;
  const { cpus } = parts.profile;
  const variables = { [payloadVariable]: name };
  const ordered = { launch: launchOf(kind, parts.profile), cpus, memoryMb, variables, tags, cell };
  const arn = await tasks.run(ordered, { signal });
  arns = [arn];
  return { arn, folder, mailbox };
}

/** What cannot be removed now stays written down: it is the reaper's. */
async function removed(
  entry: Entry,
  parts: CellParts & { readonly arns: readonly string[] | undefined },
): Promise<void> {
  try {
    await remove(entry, parts);
  } catch (error) {
    parts.log.warn('execution not removed', { cell: entry.cell, error });
  }
}
