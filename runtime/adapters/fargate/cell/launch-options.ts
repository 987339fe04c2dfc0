import type { CellKind } from '../../../../supervisor/cell/cell.ts';
import { launcherArgv, sandboxPaths } from '../../../../supervisor/cell/launcher-argv.ts';
import { scratchMb } from '../../../../supervisor/cell/limits.ts';
import type { Profile } from '../../../../supervisor/cell/profile.ts';
import { invariant } from '../../../base/assert.ts';
import type { DiskQuota } from '../keeper/disk-quota.ts';
import { serializePayload } from '../queue/payload.ts';
import { keeperTasks } from '../settings/limits.ts';
import { type FargateSettings, outputs, socketPath } from '../settings/settings.ts';

const mebibyte = 1024 * 1024;

/** What the launcher of a task's executor is told. */
export function toLaunchArgument(kind: CellKind, { cpus }: Profile): string {
  const { limits } = kind;
  const processes = limits.processes + keeperTasks;
  const argv = launcherArgv(
    { ...kind, limits: { ...limits, processes } },
    {
      python: '/opt/timeloom/bin/python3',
      cpus,
      socket: socketPath,
      output: outputs,
      // A task has no limit of its own for processes; its user is nobody else's there.
      bare: { processes: true, memory: false },
    },
  );
  const launch = argv.at(-1);
  invariant(launch !== undefined, 'a launcher is told what to launch');
  return launch;
}

/** What the supervisor of a task is told. Fault `EXEC_FAILED` for more than a secret can hold. */
export function toPayload(facts: {
  settings: FargateSettings;
  folder: string;
  key: Buffer;
  deadlineMs: number;
  rooms: readonly DiskQuota[];
}): string {
  const { settings, folder, key, deadlineMs, rooms } = facts;
  const { bucket, prefix, endpoints } = settings;
  const endpoint = endpoints?.s3 ?? null;
  return serializePayload({
    bucket,
    prefix,
    endpoint,
    folder,
    key: key.toString('base64'),
    deadlineMs,
    rooms: [...rooms],
  });
}

/** Every place a program of this kind may write to. */
export function diskQuotasOf(
  { limits }: CellKind,
  { inodes: filesMax }: Profile,
): readonly DiskQuota[] {
  const room = (path: string, megabytes: number) => ({
    path,
    bytesMax: megabytes * mebibyte,
    filesMax,
  });
  return [
    room(sandboxPaths.out, limits.workspaceMb),
    room(sandboxPaths.work, limits.workspaceMb),
    room(sandboxPaths.temporary, scratchMb),
  ];
}
