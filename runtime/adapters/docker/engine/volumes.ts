import { basename } from 'node:path';
import type Docker from 'dockerode';
import type { CellKind, MountedFile } from '../../../../supervisor/cell/cell.ts';
import { sandboxPaths } from '../../../../supervisor/cell/launcher-argv.ts';
import { scratchMb } from '../../../../supervisor/cell/limits.ts';
import { supervisorUid } from '../../../../supervisor/cell/slots.ts';
import { invariant } from '../../../base/assert.ts';
import type { Scope } from '../../../base/scope.ts';
import type { BlobRef } from '../../../timeline/block.ts';
import type { InputFile } from '../../../tools/ports/sandbox.ts';

/** The volume of one top-level input folder, and where the program sees it. */
export type InputVolume = {
  readonly folder: string;
  readonly volume: string;
  readonly path: string;
};

export type Volumes = {
  readonly out: string;
  /** Volume below which the engine sees all input volumes, so that one archive fills them all. */
  readonly anchor: string;
  readonly inputs: readonly InputVolume[];
  /** Scratch volumes of the program, for runtimes that would not count the container's own memory. */
  readonly scratch: readonly ScratchVolume[];
};

type ScratchVolume = { readonly volume: string; readonly path: string };

export type VolumeOptions = {
  /** Of the cell. */
  readonly name: string;
  readonly scope: Scope;
  readonly uid: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly inodes: number;
  /** Whether the runtime has a kernel of its own, which would keep the program's folders without counting files. */
  readonly uncounted: boolean;
};

/**
 * Creates the volumes of a cell. Writable ones are memory of a fixed size; inputs are ordinary volumes that are
 * mounted read-only and filled when the request is known.
 */
export async function openVolumes(
  docker: Docker,
  { limits, folders: asked }: CellKind,
  options: VolumeOptions,
): Promise<Volumes> {
  const { uid, inodes, uncounted } = options;
  const own = (megabytes: number) => ({ megabytes, inodes, uid, mode: '0700' });
  const inputs = [...alwaysMounted, ...asked].map(async (folder, index) => ({
    folder,
    path: folder === apart ? sandboxPaths.inputs : `${sandboxPaths.out}/${folder}`,
    volume: await openVolume(docker, `input-${index}`, options),
  }));
  const folders = [
    { path: sandboxPaths.work, memory: own(limits.workspaceMb) },
    { path: sandboxPaths.temporary, memory: own(scratchMb) },
  ];
  const scratch = (uncounted ? folders : []).map(async ({ path, memory }) => ({
    path,
    volume: await openVolume(docker, `own${path.replaceAll('/', '-')}`, { ...options, memory }),
  }));
  const [out, anchor, ...rest] = await Promise.all([
    openVolume(docker, 'out', { ...options, memory: own(limits.workspaceMb) }),
    openVolume(docker, 'inputs', { ...options, memory: onlyTheEngines }),
    Promise.all(inputs),
    Promise.all(scratch),
  ]);
  return { out, anchor, inputs: rest[0], scratch: rest[1] };
}

const onlyTheEngines = { megabytes: 1, inodes: 1_024, uid: 0, mode: '0700' } as const;

/** Belongs to the supervisor's user; other users can only connect to the socket. */
export function openSocketVolume(docker: Docker, options: VolumeOptions): Promise<string> {
  const memory = { megabytes: 1, inodes: 16, uid: supervisorUid, mode: '0755' };
  return openVolume(docker, 'socket', { ...options, memory });
}

async function openVolume(
  docker: Docker,
  name: string,
  { name: cell, scope, labels, memory }: VolumeOptions & { readonly memory?: Memory },
): Promise<string> {
  const Name = `timeloom-${cell}-${name}`;
  const volume = await docker.createVolume({
    Name,
    Driver: 'local',
    DriverOpts: memory === undefined ? {} : driverOptions(memory),
    Labels: { ...labels },
  });
  scope.defer(() => volume.remove({ force: true }));
  return Name;
}

type Memory = {
  readonly megabytes: number;
  readonly inodes: number;
  readonly uid: number;
  readonly mode: string;
};

function driverOptions({ megabytes, inodes, uid, mode }: Memory): Record<string, string> {
  const size = `size=${megabytes}m,nr_inodes=${inodes}`;
  const o = `${size},uid=${uid},gid=${uid},mode=${mode},nosuid,nodev,noexec`;
  return { type: 'tmpfs', device: 'tmpfs', o };
}

/** Name of the folder for inputs outside OUTPUT_DIR: files that the program gets copies of, and files mounted on request. */
const apart = '';

/** Every cell has these folders, even if they stay empty. */
const alwaysMounted: readonly string[] = [apart, 'attachments'];

/** Docker cannot mount volumes into a running container, so a cell must be opened with every other folder it will need. */
export function opensWith(folder: string): boolean {
  return !alwaysMounted.includes(folder);
}

type Inputs = Pick<Volumes, 'inputs'>;

/** A file and its path below the folder of all inputs; the path starts with the number of its volume. */
export type PlacedFile = { readonly name: string; readonly blob: BlobRef };

/** Read-only inputs go into the volume of their top-level folder; files that the program gets copies of share one volume. */
export function placeInputs(inputs: readonly InputFile[], volumes: Inputs): readonly PlacedFile[] {
  return inputs.map(({ filepath, writable, blob }) => {
    if (writable) return { name: placeOf(apart, `${given}/${filepath}`, volumes), blob };
    const [top = '', ...rest] = filepath.split('/');
    return { name: placeOf(top, rest.join('/'), volumes), blob };
  });
}

export function placeMountedFile({ name, blob }: MountedFile, volumes: Inputs): PlacedFile {
  return { name: placeOf(apart, `${handed}/${name}`, volumes), blob };
}

const [given, handed] = [basename(sandboxPaths.given), basename(sandboxPaths.mounted)];

function placeOf(folder: string, path: string, { inputs }: Inputs): string {
  const index = inputs.findIndex((each) => each.folder === folder);
  invariant(index >= 0, 'a cell is opened with the folders it will hold');
  return `${index}/${path}`;
}
