import type Docker from 'dockerode';
import type { CellKind } from '../../../supervisor/cell.ts';
import { inside } from '../../../supervisor/launch.ts';
import { supervisorUid } from '../../../supervisor/slots.ts';
import type { Scope } from '../../base/scope.ts';
import type { ExecRequest, InputFile } from '../../tools/sandbox.ts';

/** Of one top folder of the inputs, and where the program sees it. */
export type InputVolume = {
  readonly folder: string;
  readonly volume: string;
  readonly path: string;
};

/** The files of one folder, with the name each has in it. */
export type InputFolder = {
  readonly folder: string;
  readonly files: readonly { readonly name: string; readonly input: InputFile }[];
};

export type Volumes = {
  readonly out: string;
  readonly inputs: readonly InputVolume[];
};

export type VolumeOptions = {
  /** Of the cell. */
  readonly name: string;
  readonly scope: Scope;
  readonly uid: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly inodes: number;
};

/**
 * Everything writable is memory of a fixed size; inputs are ordinary volumes that are mounted
 * read-only, and filled when the request is known.
 */
export async function openVolumes(
  docker: Docker,
  { limits, folders }: CellKind,
  options: VolumeOptions,
): Promise<Volumes> {
  const { uid, inodes } = options;
  const out = { megabytes: limits.workspaceMb, inodes, uid, mode: '0700' };
  const inputs = [...standing, ...folders].map(async (folder, index) => ({
    folder,
    path: folder === given ? inside.given : `${inside.out}/${folder}`,
    volume: await openVolume(docker, `input-${index}`, options),
  }));
  const [first, ...others] = await Promise.all([
    openVolume(docker, 'out', { ...options, memory: out }),
    ...inputs,
  ]);
  return { out: first, inputs: others };
}

/** Of the supervisor's user; everybody else only connects there. */
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

/** The name of the folder of everything that the program gets copies of; no input has it. */
const given = '';

/** Every cell has these, whether or not there will be anything in them. */
const standing: readonly string[] = [given, 'attachments'];

/** Docker mounts nothing into a container that runs: what else a cell will hold, it is opened with. */
export function foldersOf({ inputs }: Pick<ExecRequest, 'inputs'>): readonly string[] {
  const all = inputFolders(inputs).map(({ folder }) => folder);
  return all.filter((folder) => !standing.includes(folder));
}

/** One for each top folder of the read-only inputs; one for all of which the program gets copies. */
export function inputFolders(inputs: readonly InputFile[]): readonly InputFolder[] {
  const folders = new Map<string, { name: string; input: InputFile }[]>();
  for (const input of inputs) {
    const [top = '', ...rest] = input.filepath.split('/');
    const folder = input.writable ? given : top;
    const name = input.writable ? input.filepath : rest.join('/');
    folders.set(folder, [...(folders.get(folder) ?? []), { name, input }]);
  }
  return [...folders].map(([folder, files]) => ({ folder, files }));
}
