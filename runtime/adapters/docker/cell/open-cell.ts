import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { buildCell } from '../../../../supervisor/cell/build-cell.ts';
import type { Cell, CellKind } from '../../../../supervisor/cell/cell.ts';
import type { Profile } from '../../../../supervisor/cell/profile.ts';
import { takeSlot } from '../../../../supervisor/cell/slots.ts';
import type { Log } from '../../../base/log.ts';
import type { Scope } from '../../../base/scope.ts';
import type { BlobStore } from '../../../timeline/ports/blobs.ts';
import { isEngineError } from '../engine/connect.ts';
import type { ContainerSpec } from '../engine/containers.ts';
import type { Images } from '../engine/images.ts';
import { type DockerRuntime, hasOwnKernel } from '../engine/runtimes.ts';
import { openVolumes, type VolumeOptions } from '../engine/volumes.ts';
import { type CellDeps, DockerCell } from './docker-cell.ts';

export type SandboxParts = {
  readonly docker: Docker;
  readonly images: Images;
  readonly blobs: BlobStore;
  readonly log: Log;
  readonly network: string;
  readonly profile: Profile;
  readonly runtime: DockerRuntime | undefined;
  /** Labels of every resource of one cell. */
  readonly labels: (cell: string) => Readonly<Record<string, string>>;
};

/** What a cell is built from, with one container or two. */
export type CellContext = {
  readonly kind: CellKind;
  readonly docker: Docker;
  readonly spec: ContainerSpec;
  readonly own: VolumeOptions;
  readonly scope: Scope;
  readonly log: Log;
  readonly signal: AbortSignal;
};

/** The parts of a cell that differ between one container and two. */
export type CellContainers = Pick<
  CellDeps,
  'holder' | 'supervisor' | 'stdout' | 'stderr' | 'exited' | 'kill'
>;

/** Opens volumes, a user and labels, and then the containers with `startContainers`. */
export async function openDockerCell(
  kind: CellKind,
  parts: SandboxParts & {
    readonly startContainers: (context: CellContext) => Promise<CellContainers>;
  },
  { signal }: { signal: AbortSignal },
): Promise<Cell> {
  const { docker, blobs, log, profile, runtime, startContainers } = parts;
  return buildCell({ signal, isOutside: isEngineError }, async (scope) => {
    const name = `cell-${randomBytes(8).toString('hex')}`;
    const labels = parts.labels(name);
    const { uid } = scope.own(await takeSlot());
    const own = {
      name,
      scope,
      uid,
      labels,
      inodes: profile.inodes,
      uncounted: hasOwnKernel(runtime),
    };
    const volumes = await openVolumes(docker, kind, own);
    const spec = { ...parts, volumes, uid, labels };
    const containers = await startContainers({ kind, docker, spec, own, scope, log, signal });
    const { fileMb } = kind.limits;
    return new DockerCell({ ...containers, scope, volumes, blobs, fileMb });
  });
}
