import { randomBytes } from 'node:crypto';
import type { CellKind } from '../../../supervisor/cell.ts';
import { launcherArgv } from '../../../supervisor/launch.ts';
import { cellLifeMsMax } from '../../../supervisor/limits.ts';
import { invariant } from '../../base/assert.ts';
import type { Scope } from '../../base/scope.ts';
import { launchMsMax } from './limits.ts';
import type { CellParts } from './parts.ts';
import { writePayload } from './payload.ts';
import { emptied, folderOf } from './places.ts';
import {
  type FargateSettings,
  outputs,
  payloadVariable,
  secretPrefix,
  socketPath,
} from './settings.ts';
import { toTags } from './tags.ts';
import { stopped } from './watch-task.ts';

type Started = { readonly arn: string; readonly folder: string; readonly key: Buffer };

/** A task with its secret and its folder; the scope stops it, waits until it is gone, and removes both. */
export async function startTask(
  kind: CellKind,
  { settings, tasks, secrets, bucket, clock, owner }: CellParts,
  { scope, signal }: { scope: Scope; signal: AbortSignal },
): Promise<Started> {
  const cell = `cell-${randomBytes(12).toString('hex')}`;
  const deadlineMs = clock.now() + launchMsMax + cellLifeMsMax;
  const tags = toTags({ cell, owner, deadlineMs });
  const folder = folderOf(cell, deadlineMs);
  const key = randomBytes(32);
  scope.defer(() => emptied(folder, bucket));
  const name = `${secretPrefix}/${cell}`;
  scope.defer(() => secrets.remove(name));
  const payload = toPayload({ settings, folder, key, deadlineMs });
  await secrets.create(name, payload, { tags, signal });
  const { memoryMb } = kind.limits;
  const variables = { [payloadVariable]: name };
  const ordered = { launch: launchOf(kind), memoryMb, variables, tags, cell };
  const arn = await tasks.run(ordered, { signal });
  scope.defer(() => stopped(arn, tasks));
  return { arn, folder, key };
}

function launchOf(kind: CellKind): string {
  const argv = launcherArgv(kind, {
    python: '/opt/timeloom/bin/python3',
    socket: socketPath,
    output: outputs,
    // A task has no limit of its own for processes; its user is nobody else's there.
    bare: { processes: true, memory: false },
  });
  const launch = argv.at(-1);
  invariant(launch !== undefined, 'a launcher is told what to launch');
  return launch;
}

function toPayload(facts: {
  settings: FargateSettings;
  folder: string;
  key: Buffer;
  deadlineMs: number;
}): string {
  const { settings, folder, key, deadlineMs } = facts;
  const { bucket, prefix, endpoints } = settings;
  const endpoint = endpoints?.s3 ?? null;
  return writePayload({
    bucket,
    prefix,
    endpoint,
    folder,
    key: key.toString('base64'),
    deadlineMs,
  });
}
