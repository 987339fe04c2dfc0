import type Docker from 'dockerode';
import type { CellKind } from '../../../../supervisor/cell/cell.ts';
import { launcherArgv, sandboxPaths } from '../../../../supervisor/cell/launcher-argv.ts';
import { openFilesMax, ownTasks, scratchMb } from '../../../../supervisor/cell/limits.ts';
import type { Profile } from '../../../../supervisor/cell/profile.ts';
import { supervisorUid } from '../../../../supervisor/cell/slots.ts';
import type { Images } from './images.ts';
import {
  combinedExtraMb,
  combinedExtraTasks,
  kernelTasks,
  kernelTasksEach,
  supervisorMb,
  supervisorTasks,
} from './limits.ts';
import { type DockerRuntime, hasOwnKernel } from './runtimes.ts';
import type { Volumes } from './volumes.ts';

const mebibyte = 1024 * 1024;
/** Over a folder of the system. */
const empty = 'ro,nosuid,nodev,noexec,size=4k,nr_inodes=1';
const socketFolder = '/run/timeloom';
const socketPath = `${socketFolder}/supervisor.sock`;
const python = '/opt/timeloom/bin/python3';

/** Where a supervisor holds the executor's files for the archive, and its inputs on the way in. */
export const engineFolders = { out: '/collect/out', inputs: '/inputs' } as const;

export type ContainerSpec = {
  readonly images: Images;
  readonly volumes: Volumes;
  readonly uid: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Of the supervisor; the executor never has one of its own. */
  readonly network: string;
  readonly profile: Profile;
  readonly runtime: DockerRuntime | undefined;
};

/** Of two containers: the volume in which their socket is. */
export type SplitSpec = ContainerSpec & { readonly socket: string };

/** The executor of a split: alone, and without a network. */
export function executorContainer(kind: CellKind, spec: SplitSpec): Docker.ContainerCreateOptions {
  const host = program(kind, spec);
  return {
    ...host,
    Image: spec.images.executor,
    Entrypoint: [...launcher(kind, spec)],
    NetworkDisabled: true,
    HostConfig: {
      ...host.HostConfig,
      NetworkMode: 'none',
      Mounts: [mount(spec.socket, socketFolder, 'read'), ...host.HostConfig.Mounts],
    },
  };
}

export function supervisorContainer(spec: SplitSpec): Docker.ContainerCreateOptions {
  const { images, volumes, socket, labels, network } = spec;
  return {
    Image: images.supervisor,
    Cmd: [socketPath],
    Hostname: 'supervisor',
    User: userOf(supervisorUid),
    Labels: { ...labels },
    ...attachedIo,
    HostConfig: {
      ...locked(supervisorMb, supervisorTasks),
      NetworkMode: network,
      Mounts: [mount(socket, socketFolder, 'write'), ...holding(volumes)],
    },
  };
}

/** Both in one: the program below a guard, and room for the supervisor that is started beside it. */
export function combinedContainer(
  kind: CellKind,
  spec: ContainerSpec,
): Docker.ContainerCreateOptions {
  const host = program(kind, spec);
  const { limits } = kind;
  return {
    ...host,
    Image: spec.images.executor,
    Entrypoint: [
      python,
      '-I',
      '-S',
      '-B',
      `${sandboxPaths.executor}/guard.py`,
      ...launcher(kind, spec),
    ],
    ...attachedIo,
    HostConfig: {
      ...host.HostConfig,
      ...locked(
        limits.memoryMb + combinedExtraMb,
        limits.processes + ownTasks + combinedExtraTasks,
      ),
      NetworkMode: spec.network,
      Tmpfs: {
        ...host.HostConfig.Tmpfs,
        [socketFolder]: scratch(1, { uid: supervisorUid, inodes: 16, mode: '0755' }),
      },
      Mounts: [...host.HostConfig.Mounts, ...holding(spec.volumes)],
    },
  };
}

/** Beside the guard: the engine starts it as its own user, so nobody inside ever has a right to become another. */
export const combinedSupervisor: Docker.ExecCreateOptions = {
  Cmd: [sandboxPaths.node, '/opt/timeloom/supervisor.mjs', socketPath],
  User: userOf(supervisorUid),
  AttachStdin: true,
  AttachStdout: true,
  AttachStderr: true,
};

/** With its runtime's connection a container that is spoken to loses its reason to be. */
const attachedIo = {
  AttachStdin: true,
  AttachStdout: true,
  AttachStderr: true,
  OpenStdin: true,
  StdinOnce: true,
} as const;

/** What stands around a program, whoever lives with it. */
function program(kind: CellKind, { volumes, uid, labels, profile, runtime }: ContainerSpec) {
  const { limits } = kind;
  const { inodes } = profile;
  return {
    Hostname: 'sandbox',
    User: userOf(uid),
    WorkingDir: sandboxPaths.work,
    Labels: { ...labels },
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      ...locked(limits.memoryMb, tasksOf(kind, runtime)),
      NanoCpus: Math.round(profile.cpus * 1e9),
      ...(runtime === undefined ? {} : { Runtime: runtime }),
      ShmSize: scratchMb * mebibyte,
      Ulimits: [
        { Name: 'nofile', Soft: openFilesMax, Hard: openFilesMax },
        { Name: 'fsize', Soft: limits.fileMb * mebibyte, Hard: limits.fileMb * mebibyte },
        { Name: 'core', Soft: 1, Hard: 1 },
      ],
      Tmpfs: {
        ...(volumes.scratch.length > 0 ? {} : counted(kind, { uid, inodes })),
        // A machine has so many terminals, and a program needs none.
        '/dev/pts': empty,
        // Message queues are the kernel's memory, and a program needs none.
        '/dev/mqueue': empty,
      },
      Mounts: [
        mount(volumes.out, sandboxPaths.out, 'write'),
        ...volumes.scratch.map(({ volume, path }) => mount(volume, path, 'write')),
        ...volumes.inputs.map(({ volume, path }) => mount(volume, path, 'read')),
      ],
    },
  };
}

/** What a program has for itself alone, in memory that the machine's kernel counts. */
function counted({ limits }: CellKind, { uid, inodes }: Omit<Scratch, 'mode'>) {
  const own = { uid, inodes, mode: '0700' };
  return {
    [sandboxPaths.work]: scratch(limits.workspaceMb, own),
    [sandboxPaths.temporary]: scratch(scratchMb, own),
  };
}

/** What the machine may have of them. A kernel of its own counts a program's itself, and without room ends with all it holds. */
function tasksOf({ limits }: CellKind, runtime: DockerRuntime | undefined): number {
  const tasks = limits.processes + ownTasks;
  return hasOwnKernel(runtime) ? kernelTasks + kernelTasksEach * tasks : tasks;
}

/** What everything here has in common: nothing it could become, change or keep. */
function locked(memoryMb: number, tasks: number) {
  return {
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    Memory: memoryMb * mebibyte,
    MemorySwap: memoryMb * mebibyte,
    PidsLimit: tasks,
    IpcMode: 'private',
    // An init would be PID 1, with the environment of the container for everybody to read.
    Init: false,
    LogConfig: { Type: 'none', Config: {} },
    RestartPolicy: { Name: 'no' },
  };
}

function launcher(
  kind: CellKind,
  { profile: { cpus }, runtime }: ContainerSpec,
): readonly string[] {
  const bare = { processes: hasOwnKernel(runtime), memory: false };
  return launcherArgv(kind, { python, cpus, socket: socketPath, bare });
}

/** Where the engine puts inputs and takes files. */
function holding({ out, anchor, inputs }: Volumes): readonly Docker.MountSettings[] {
  const places = inputs.map(({ volume }, index) =>
    mount(volume, `${engineFolders.inputs}/${index}`, 'write'),
  );
  return [
    mount(out, engineFolders.out, 'read'),
    mount(anchor, engineFolders.inputs, 'write'),
    ...places,
  ];
}

function userOf(uid: number): string {
  return `${uid}:${uid}`;
}

type Scratch = { readonly uid: number; readonly inodes: number; readonly mode: string };

function scratch(megabytes: number, { uid, inodes, mode }: Scratch): string {
  return `rw,nosuid,nodev,size=${megabytes}m,nr_inodes=${inodes},uid=${uid},gid=${uid},mode=${mode}`;
}

function mount(volume: string, path: string, how: 'read' | 'write'): Docker.MountSettings {
  return {
    Type: 'volume',
    Source: volume,
    Target: path,
    ReadOnly: how === 'read',
    VolumeOptions: { NoCopy: true, Labels: {}, DriverConfig: { Name: 'local', Options: {} } },
  };
}
