import { realpath } from 'node:fs/promises';
import type { CellKind } from '../../../supervisor/cell/cell.ts';
import {
  launcherArgv,
  programEnvironment,
  sandboxPaths,
} from '../../../supervisor/cell/launcher-argv.ts';
import { scratchMb } from '../../../supervisor/cell/limits.ts';
import { filterFd, infoFd } from './spawn.ts';
import type { StagingDir } from './staging-dir.ts';
import { systemLinks } from './system-folders.ts';

/** User id inside the sandbox; outside it is the slot's user. */
const innerId = '1000';
const mebibyte = 1024 * 1024;

type SharedFolders = Pick<StagingDir, 'executor' | 'node' | 'system'>;

type SandboxOptions = {
  readonly stage: SharedFolders;
  readonly python: string;
  /** Folder for the inputs; still empty. */
  readonly inputs: string;
  readonly cpus: number;
  /** Folders of the runtime that must not be visible inside, wherever they are. */
  readonly hidden: readonly string[];
  /** A kernel memory limit covers the whole sandbox. */
  readonly grouped: boolean;
};

/** Arguments of bwrap, followed by those of the launcher, which becomes the harness. */
export async function sandboxArgv(
  kind: CellKind,
  { stage, python, inputs, cpus, hidden, grouped }: SandboxOptions,
): Promise<readonly string[]> {
  const bare = { processes: true, memory: !grouped };
  return [
    ...(await bwrapArgv(kind, { ...stage, inputs, hidden, cpus })),
    ...launcherArgv(kind, { python, cpus, socket: null, bare, inPlace: true, prepared: true }),
  ];
}

/**
 * The sandbox has the system's /usr read-only, a /dev of five devices, memory of a fixed size for everything writable,
 * and nothing else. It shares no namespace and has no capability.
 */
async function bwrapArgv(
  { limits }: CellKind,
  {
    executor,
    node,
    system,
    inputs,
    hidden,
    cpus,
  }: SharedFolders & Pick<SandboxOptions, 'inputs' | 'hidden' | 'cpus'>,
): Promise<readonly string[]> {
  const workspace = limits.workspaceMb;
  return [
    ...['--unshare-all', '--unshare-user', '--unshare-cgroup', '--hostname', 'sandbox'],
    ...['--uid', innerId, '--gid', innerId, '--cap-drop', 'ALL'],
    ...['--die-with-parent', '--as-pid-1', '--new-session'],
    ...['--info-fd', String(infoFd), '--seccomp', String(filterFd)],
    ...system,
    ...(await covers(hidden)),
    ...['--ro-bind', executor, sandboxPaths.executor, '--ro-bind', node, sandboxPaths.node],
    ...['--proc', '/proc'],
    ...devices(),
    ...sized(sandboxPaths.temporary, scratchMb),
    ...sized(sandboxPaths.work, workspace),
    ...sized(sandboxPaths.out, workspace),
    ...['--ro-bind', inputs, sandboxPaths.inputs],
    ...environment(cpus),
    ...['--remount-ro', '/', '--chdir', sandboxPaths.work, '--'],
  ];
}

/** Of PID 1; bwrap itself has none. */
function environment(cpus: number): readonly string[] {
  const entries = Object.entries(programEnvironment(cpus));
  return entries.flatMap(([name, value]) => ['--setenv', name, String(value)]);
}

/** Mounts an empty folder over each hidden folder that lies inside a system folder, where images and version managers put programs. */
async function covers(hidden: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(hidden.map((path) => realpath(path).catch(() => path)));
  const shown = real.filter((path) => isBeneath(path, ['/usr', ...systemLinks]));
  const outermost = new Set(shown.filter((path) => !isBeneath(path, shown)));
  return [...outermost].flatMap((path) => [...sized(path, 1), '--remount-ro', path]);
}

function isBeneath(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`));
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
