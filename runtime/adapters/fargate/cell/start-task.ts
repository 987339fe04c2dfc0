import { randomBytes } from 'node:crypto';
import type { CellKind } from '../../../../supervisor/cell/cell.ts';
import { cellLifeMsMax } from '../../../../supervisor/pool/limits.ts';
import type { Scope } from '../../../base/scope.ts';
import type { Work } from '../../../base/signal.ts';
import type { Execution } from '../aws/execution.ts';
import { toTags } from '../aws/tags.ts';
import { registerExecution, removeExecution } from '../executions/registry.ts';
import { folderOf, secretOf } from '../queue/bucket.ts';
import { FromTask, type ToTask } from '../queue/messages.ts';
import { S3Queue } from '../queue/s3-queue.ts';
import { launchMsMax } from '../settings/limits.ts';
import { payloadVariable } from '../settings/settings.ts';
import { diskQuotasOf, toLaunchArgument, toPayload } from './launch-options.ts';
import type { SandboxParts } from './sandbox-parts.ts';

type StartedTask = {
  readonly arn: string;
  readonly folder: string;
  readonly queue: S3Queue<ToTask, FromTask>;
};

/**
 * Starts a task with its secret, its folder and the first message in it. The scope stops the task, waits until it has
 * ended, and removes everything. `work`: how long messages are written and read.
 */
export async function startTask(
  kind: CellKind,
  parts: SandboxParts,
  { scope, work, signal }: { scope: Scope; work: Work; signal: AbortSignal },
): Promise<StartedTask> {
  const { settings, tasks, secrets, bucket, clock, owner } = parts;
  const cell = `cell-${randomBytes(12).toString('hex')}`;
  const deadlineMs = clock.now() + launchMsMax + cellLifeMsMax;
  const execution = { cell, owner, deadlineMs };
  const tags = toTags(execution);
  const folder = folderOf(cell);
  const key = randomBytes(32);
  let arns: readonly string[] | undefined;
  scope.defer(() => removeOrWarn(execution, { ...parts, arns }));
  await registerExecution(execution, bucket, { signal });
  const queue = new S3Queue<ToTask, FromTask>({
    ...{ objects: bucket, folder, key, side: 'runtime', receives: FromTask, signal: work.signal },
  });
  await queue.send({ type: 'welcome' });
  const name = secretOf(cell);
  const quotas = diskQuotasOf(kind, parts.profile);
  const payload = toPayload({ settings, folder, key, deadlineMs, quotas });
  await secrets.create(name, payload, { tags, signal });
  const { memoryMb } = kind.limits;
  const { cpus } = parts.profile;
  const variables = { [payloadVariable]: name };
  const spec = {
    launch: toLaunchArgument(kind, parts.profile),
    cpus,
    memoryMb,
    variables,
    tags,
    cell,
  };
  const arn = await tasks.run(spec, { signal });
  arns = [arn];
  return { arn, folder, queue };
}

/** If removal fails, the execution stays registered, and the reaper removes it later. */
async function removeOrWarn(
  execution: Execution,
  parts: SandboxParts & { readonly arns: readonly string[] | undefined },
): Promise<void> {
  try {
    await removeExecution(execution, parts);
  } catch (error) {
    parts.log.warn('execution not removed', { cell: execution.cell, error });
  }
}
