import type { CellKind } from '../../../../supervisor/cell/cell.ts';
import { launcherArgv, sandboxPaths } from '../../../../supervisor/cell/launcher-argv.ts';
import { scratchMb } from '../../../../supervisor/cell/limits.ts';
import type { Profile } from '../../../../supervisor/cell/profile.ts';
import { invariant } from '../../../base/assert.ts';
import type { DiskQuota } from '../keeper/disk-quota.ts';
import { serializePayload } from '../queue/payload.ts';
import { blockSlackMb, keeperTasks } from '../settings/limits.ts';
import { type FargateSettings, outputs, socketPath } from '../settings/settings.ts';

const mebibyte = 1024 * 1024;

/** The launcher's argument for the executor of a task. */
export function toLaunchArgument(kind: CellKind, profile: Profile): string {
  const { limits } = kind;
  const processes = limits.processes + keeperTasks;
  const argv = launcherArgv(
    { ...kind, limits: { ...limits, processes } },
    {
      python: '/opt/timeloom/bin/python3',
      cpus: profile.cpus,
      socket: socketPath,
      output: outputs,
      disks: diskQuotasOf(kind, profile),
      // A task sets no process limit of its own; only this program's user has processes there.
      bare: { processes: true, memory: false },
    },
  );
  const launch = argv.at(-1);
  invariant(launch !== undefined, 'the launcher has an argument');
  return launch;
}

/** The launch payload for the supervisor of a task. Fault `EXEC_FAILED` if it does not fit into a secret. */
export function toPayload(facts: {
  settings: FargateSettings;
  folder: string;
  key: Buffer;
  deadlineMs: number;
  quotas: readonly DiskQuota[];
}): string {
  const { settings, folder, key, deadlineMs, quotas } = facts;
  const { bucket, prefix, endpoints } = settings;
  const endpoint = endpoints?.s3 ?? null;
  return serializePayload({
    bucket,
    prefix,
    endpoint,
    folder,
    key: key.toString('base64'),
    deadlineMs,
    rooms: quotas.map((quota) => ({ ...quota, bytesMax: quota.bytesMax + beyond(quota) })),
  });
}

/**
 * Writes beyond a quota fail with ENOSPC. The keeper ends what has written more all the same, for example through a
 * mapping; what is counted in whole blocks, folders included, may be a little more than the bytes written.
 */
function beyond({ bytesMax }: DiskQuota): number {
  return Math.max(Math.floor(bytesMax / 4), blockSlackMb * mebibyte);
}

/** The disk quota of every folder that a program of this kind can write to. */
export function diskQuotasOf(
  { limits }: CellKind,
  { inodes: filesMax }: Profile,
): readonly DiskQuota[] {
  const quota = (path: string, megabytes: number) => ({
    path,
    bytesMax: megabytes * mebibyte,
    filesMax,
  });
  return [
    quota(sandboxPaths.out, limits.workspaceMb),
    quota(sandboxPaths.work, limits.workspaceMb),
    quota(sandboxPaths.temporary, scratchMb),
  ];
}
