import type Docker from 'dockerode';
import { inside } from '../../../supervisor/launch.ts';
import { supervisorUid } from '../../../supervisor/slots.ts';
import type { Scope } from '../../base/scope.ts';
import type { ExecRequest, InputFile } from '../../tools/sandbox.ts';
import { workspaceInodesMax } from './limits.ts';

/** The files of one top folder of the inputs, and where the program sees them. */
export type InputVolume = {
  readonly volume: string;
  readonly path: string;
  /** With the name each file has in the volume. */
  readonly files: readonly { readonly name: string; readonly input: InputFile }[];
};

export type Volumes = {
  readonly socket: string;
  readonly out: string;
  readonly inputs: readonly InputVolume[];
};

type Options = {
  readonly scope: Scope;
  readonly uid: number;
  readonly labels: Readonly<Record<string, string>>;
};

/** Everything writable is memory of a fixed size; inputs are ordinary volumes that are mounted read-only. */
export async function openVolumes(
  docker: Docker,
  request: ExecRequest,
  { scope, uid, labels }: Options,
): Promise<Volumes> {
  const make = async (name: string, options: Record<string, string> = {}) => {
    const Name = `timeloom-${request.id}-${name}`;
    const Labels = { ...labels };
    const volume = await docker.createVolume({
      Name,
      Driver: 'local',
      DriverOpts: options,
      Labels,
    });
    scope.defer(() => volume.remove({ force: true }));
    return Name;
  };
  const { workspaceMb } = request.limits;
  const inputs = inputFolders(request.inputs).map(async ({ folder, ...rest }, index) => ({
    ...rest,
    volume: await make(`input-${index}`),
  }));
  const [socket, out, ...made] = await Promise.all([
    make('socket', memory({ megabytes: 1, inodes: 16, uid: supervisorUid, mode: '0755' })),
    make('out', memory({ megabytes: workspaceMb, inodes: workspaceInodesMax, uid, mode: '0700' })),
    ...inputs,
  ]);
  return { socket, out, inputs: made };
}

type Memory = {
  readonly megabytes: number;
  readonly inodes: number;
  readonly uid: number;
  readonly mode: string;
};

function memory({ megabytes, inodes, uid, mode }: Memory): Record<string, string> {
  const size = `size=${megabytes}m,nr_inodes=${inodes}`;
  const o = `${size},uid=${uid},gid=${uid},mode=${mode},nosuid,nodev,noexec`;
  return { type: 'tmpfs', device: 'tmpfs', o };
}

/** One for each top folder of the read-only inputs; one for all of which the program gets copies. */
export function inputFolders(
  inputs: readonly InputFile[],
): readonly (Omit<InputVolume, 'volume'> & { readonly folder: string })[] {
  const folders = new Map<string, { name: string; input: InputFile }[]>();
  for (const input of inputs) {
    const [top = '', ...rest] = input.filepath.split('/');
    const folder = input.writable ? '' : top;
    const name = input.writable ? input.filepath : rest.join('/');
    folders.set(folder, [...(folders.get(folder) ?? []), { name, input }]);
  }
  return [...folders].map(([folder, files]) => ({
    folder,
    files,
    path: folder === '' ? inside.given : `${inside.out}/${folder}`,
  }));
}
