import { lstat, readlink } from 'node:fs/promises';
import type { CellKind } from '../../../supervisor/cell.ts';
import { inside } from '../../../supervisor/launch.ts';
import { scratchMb } from '../../../supervisor/limits.ts';

/** The user inside; outside it is the slot's. */
const innerId = '1000';
const mebibyte = 1024 * 1024;

type Options = {
  readonly executor: string;
  readonly node: string;
  /** Where the inputs will be; empty as yet. */
  readonly inputs: string;
  readonly limits: CellKind['limits'];
  readonly infoFd: number;
};

/**
 * What the sandbox is made of: the system's /usr read-only, a /dev of five devices, sized memory
 * for everything writable, and nothing else. No namespace is shared and every capability dropped.
 */
export async function bwrapArgv(options: Options): Promise<readonly string[]> {
  const { executor, node, inputs, limits, infoFd } = options;
  const workspace = limits.workspaceMb;
  return [
    ...['--unshare-all', '--unshare-user', '--unshare-cgroup', '--hostname', 'sandbox'],
    ...['--uid', innerId, '--gid', innerId, '--cap-drop', 'ALL'],
    ...['--die-with-parent', '--as-pid-1', '--new-session', '--info-fd', String(infoFd)],
    ...(await system()),
    ...['--ro-bind', executor, inside.executor, '--ro-bind', node, inside.node],
    ...['--proc', '/proc'],
    ...devices(),
    ...sized(inside.temporary, scratchMb),
    ...sized(inside.work, workspace),
    ...sized(inside.out, workspace),
    ...['--ro-bind', inputs, inside.inputs],
    ...['--remount-ro', '/', '--chdir', inside.work, '--'],
  ];
}

/** Libraries and interpreters. `/lib` and its like are links into /usr, or directories of their own. */
async function system(): Promise<readonly string[]> {
  const argv = ['--ro-bind', '/usr', '/usr'];
  for (const path of ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']) {
    const found = await lstat(path).catch(() => undefined);
    if (found?.isSymbolicLink()) argv.push('--symlink', await readlink(path), path);
    else if (found?.isDirectory()) argv.push('--ro-bind', path, path);
  }
  const files = ['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime', '/etc/mime.types'];
  return [...argv, ...files.flatMap((path) => ['--ro-bind-try', path, path])];
}

function devices(): readonly string[] {
  return [
    ...['--size', String(mebibyte), '--tmpfs', '/dev'],
    ...['null', 'zero', 'full', 'random', 'urandom'].flatMap((name) => [
      '--dev-bind',
      `/dev/${name}`,
      `/dev/${name}`,
    ]),
    ...['--symlink', '/proc/self/fd', '/dev/fd'],
    ...['stdin', 'stdout', 'stderr'].flatMap((name, fd) => [
      '--symlink',
      `/proc/self/fd/${fd}`,
      `/dev/${name}`,
    ]),
    ...sized('/dev/shm', scratchMb),
    ...['--remount-ro', '/dev'],
  ];
}

function sized(path: string, megabytes: number): readonly string[] {
  return ['--size', String(megabytes * mebibyte), '--tmpfs', path];
}
