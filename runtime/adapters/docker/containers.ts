import type Docker from 'dockerode';
import type { CellKind } from '../../../supervisor/cell.ts';
import { inside, launcherArgv } from '../../../supervisor/launch.ts';
import { openFilesMax, ownTasks, scratchMb } from '../../../supervisor/limits.ts';
import type { Profile } from '../../../supervisor/profile.ts';
import { supervisorUid } from '../../../supervisor/slots.ts';
import type { DockerRuntime } from './connect.ts';
import type { Images } from './images.ts';
import { supervisorMb, supervisorTasks } from './limits.ts';
import type { Volumes } from './volumes.ts';

const mebibyte = 1024 * 1024;
const socketFolder = '/run/timeloom';
const socketPath = `${socketFolder}/supervisor.sock`;
const python = '/opt/timeloom/bin/python3';

/** Where a supervisor holds the executor's files for the archive, and its inputs on the way in. */
export const held = { out: '/collect/out', inputs: '/inputs' } as const;

export type Spec = {
  readonly images: Images;
  readonly volumes: Volumes;
  readonly uid: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Of the supervisor; the executor never has one. */
  readonly network: string;
  readonly profile: Profile;
  readonly runtime: DockerRuntime | undefined;
};

/** What both have in common: nothing they could become, change or keep. */
function locked(memoryMb: number, tasks: number): Docker.HostConfig {
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

export function executorContainer(
  kind: CellKind,
  { images, volumes, uid, labels, profile, runtime }: Spec,
): Docker.ContainerCreateOptions {
  const { limits } = kind;
  const argv = launcherArgv(kind, {
    python,
    socket: socketPath,
    bare: { processes: false, memory: false },
  });
  return {
    Image: images.executor,
    Entrypoint: [...argv],
    Hostname: 'sandbox',
    User: `${uid}:${uid}`,
    WorkingDir: inside.work,
    Labels: { ...labels },
    AttachStdout: true,
    AttachStderr: true,
    NetworkDisabled: true,
    HostConfig: {
      ...locked(limits.memoryMb, limits.processes + ownTasks),
      NetworkMode: 'none',
      NanoCpus: Math.round(profile.cpus * 1e9),
      ...(runtime === undefined ? {} : { Runtime: runtime }),
      ShmSize: scratchMb * mebibyte,
      Ulimits: [
        { Name: 'nofile', Soft: openFilesMax, Hard: openFilesMax },
        { Name: 'fsize', Soft: limits.fileMb * mebibyte, Hard: limits.fileMb * mebibyte },
        { Name: 'core', Soft: 0, Hard: 0 },
      ],
      Tmpfs: {
        [inside.work]: scratch(limits.workspaceMb, { uid, ...profile }),
        [inside.temporary]: scratch(scratchMb, { uid, ...profile }),
      },
      Mounts: [
        mount(volumes.socket, socketFolder, 'read'),
        mount(volumes.out, inside.out, 'write'),
        ...volumes.inputs.map(({ volume, path }) => mount(volume, path, 'read')),
      ],
    },
  };
}

export function supervisorContainer(spec: Spec): Docker.ContainerCreateOptions {
  const { images, volumes, labels, network } = spec;
  return {
    Image: images.supervisor,
    Cmd: [socketPath],
    Hostname: 'supervisor',
    User: `${supervisorUid}:${supervisorUid}`,
    Labels: { ...labels },
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    // With its runtime's connection it loses its reason to be.
    StdinOnce: true,
    HostConfig: {
      ...locked(supervisorMb, supervisorTasks),
      NetworkMode: network,
      Mounts: [
        mount(volumes.socket, socketFolder, 'write'),
        mount(volumes.out, held.out, 'read'),
        ...volumes.inputs.map(({ volume }, index) =>
          mount(volume, `${held.inputs}/${index}`, 'write'),
        ),
      ],
    },
  };
}

function scratch(megabytes: number, { uid, inodes }: { uid: number; inodes: number }): string {
  return `rw,nosuid,nodev,size=${megabytes}m,nr_inodes=${inodes},uid=${uid},gid=${uid},mode=0700`;
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
