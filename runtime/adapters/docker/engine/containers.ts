import type Docker from 'dockerode';
import type { CellKind } from '../../../../supervisor/cell/cell.ts';
import { launcherArgv, sandboxPaths } from '../../../../supervisor/cell/launcher-argv.ts';
import { interpreterTasks, openFilesMax, scratchMb } from '../../../../supervisor/cell/limits.ts';
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
/** tmpfs options of an empty mount that hides a system folder. */
const empty = 'ro,nosuid,nodev,noexec,size=4k,nr_inodes=1';
const socketFolder = '/run/timeloom';
const socketPath = `${socketFolder}/supervisor.sock`;
const python = '/opt/timeloom/bin/python3';

/** Where the supervisor's container mounts the executor's output folder, for archives, and the inputs. */
export const engineFolders = { out: '/collect/out', inputs: '/inputs' } as const;

export type ContainerSpec = {
  readonly images: Images;
  readonly volumes: Volumes;
  readonly uid: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Network of the supervisor; an executor of its own container has none. */
  readonly network: string;
  readonly profile: Profile;
  readonly runtime: DockerRuntime | undefined;
};

/** For two containers: the volume with their socket. */
export type SplitSpec = ContainerSpec & { readonly socket: string };

/** The executor's container of the split layout, without a network. */
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
    NetworkDisabled: network === 'none',
    HostConfig: {
      ...locked(supervisorMb, supervisorTasks),
      NetworkMode: network,
      Mounts: [mount(socket, socketFolder, 'write'), ...holding(volumes)],
    },
  };
}

/** The combined container: the program under a guard, with extra limits for the supervisor that is started in it. */
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
    NetworkDisabled: spec.network === 'none',
    HostConfig: {
      ...host.HostConfig,
      ...locked(
        limits.memoryMb + combinedExtraMb,
        limits.processes + interpreterTasks + combinedExtraTasks,
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

/** The supervisor in the combined container. The engine starts it as its own user, so no process inside may ever change its user. */
export const combinedSupervisor: Docker.ExecCreateOptions = {
  Cmd: [sandboxPaths.node, '/opt/timeloom/supervisor.mjs', socketPath],
  User: userOf(supervisorUid),
  AttachStdin: true,
  AttachStdout: true,
  AttachStderr: true,
};

/** A container with attached streams ends with the runtime's connection. */
const attachedIo = {
  AttachStdin: true,
  AttachStdout: true,
  AttachStderr: true,
  OpenStdin: true,
  StdinOnce: true,
} as const;

/** Options of the program's container, in both layouts. */
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
        // Terminals are limited per machine, and a program needs none.
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

/** Scratch folders of the program, in memory that the host kernel counts. */
function counted({ limits }: CellKind, { uid, inodes }: Omit<Scratch, 'mode'>) {
  const own = { uid, inodes, mode: '0700' };
  return {
    [sandboxPaths.work]: scratch(limits.workspaceMb, own),
    [sandboxPaths.temporary]: scratch(scratchMb, own),
  };
}

/** Task limit of the container on the host. gVisor counts the program's tasks itself, and ends with the whole sandbox when the host refuses it a thread. */
function tasksOf({ limits }: CellKind, runtime: DockerRuntime | undefined): number {
  const tasks = limits.processes + interpreterTasks;
  return hasOwnKernel(runtime) ? kernelTasks + kernelTasksEach * tasks : tasks;
}

/** Options of every container: no capabilities, no new privileges, a read-only root. */
export function locked(memoryMb: number, tasks: number) {
  return {
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    Memory: memoryMb * mebibyte,
    MemorySwap: memoryMb * mebibyte,
    PidsLimit: tasks,
    IpcMode: 'private',
    // An init process would be PID 1, and every process could read its environment.
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

/** Mounts through which the engine puts inputs and collects files. */
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
