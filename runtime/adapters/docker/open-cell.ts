import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { buildCell } from '../../../supervisor/build-cell.ts';
import type { Cell, CellKind } from '../../../supervisor/cell.ts';
import type { Profile } from '../../../supervisor/profile.ts';
import { takeSlot } from '../../../supervisor/slots.ts';
import type { Log } from '../../base/log.ts';
import type { Scope } from '../../base/scope.ts';
import type { BlobStore } from '../../timeline/blobs.ts';
import { createAttached, nextExit } from './attached.ts';
import type { DockerRuntime } from './connect.ts';
import { executorContainer, supervisorContainer } from './containers.ts';
import { DockerCell } from './docker-cell.ts';
import type { Images } from './images.ts';
import { openVolumes } from './volumes.ts';

export type CellParts = {
  readonly docker: Docker;
  readonly images: Images;
  readonly blobs: BlobStore;
  readonly log: Log;
  readonly network: string;
  readonly profile: Profile;
  readonly runtime: DockerRuntime | undefined;
  /** Of everything one cell is made of. */
  readonly labels: (cell: string) => Readonly<Record<string, string>>;
};

/** A supervisor and an executor in containers of their own, with one Unix socket between them. */
export async function openDockerCell(
  kind: CellKind,
  parts: CellParts,
  { signal }: { signal: AbortSignal },
): Promise<Cell> {
  const isOutside = isEngineError;
  return buildCell({ signal, isOutside }, (scope) => build(kind, parts, { scope, signal }));
}

async function build(
  kind: CellKind,
  parts: CellParts,
  { scope, signal }: { scope: Scope; signal: AbortSignal },
): Promise<Cell> {
  const { docker } = parts;
  const name = `cell-${randomBytes(8).toString('hex')}`;
  const labels = parts.labels(name);
  const { uid } = scope.own(await takeSlot());
  const volumes = await openVolumes(docker, kind, {
    name,
    scope,
    uid,
    labels,
    inodes: parts.profile.inodes,
  });
  const spec = { ...parts, volumes, uid, labels };
  const [supervisor, executor] = await Promise.all([
    createAttached(docker, supervisorContainer(spec), scope),
    createAttached(docker, executorContainer(kind, spec), scope),
  ]);
  signal.throwIfAborted();
  const waiting = nextExit(executor.container);
  // A container that never starts never ends: the wait is given up with the cell.
  waiting.catch(() => undefined);
  await Promise.all([supervisor.container.start(), executor.container.start()]);
  const { blobs, log } = parts;
  const { fileMb } = kind.limits;
  return new DockerCell({ supervisor, executor, waiting, scope, log, volumes, blobs, fileMb });
}

/** What the engine or the way to it says, as opposed to what is wrong with us. */
function isEngineError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return 'statusCode' in error || 'syscall' in error || 'code' in error;
}
