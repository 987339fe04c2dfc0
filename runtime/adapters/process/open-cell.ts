import { rm } from 'node:fs/promises';
import type { Cell } from '../../../supervisor/cell.ts';
import { launcherArgv } from '../../../supervisor/launch.ts';
import { type Slot, takeSlot } from '../../../supervisor/slots.ts';
import { Fault } from '../../base/fault.ts';
import { Scope } from '../../base/scope.ts';
import type { BlobStore } from '../../timeline/blobs.ts';
import type { ExecRequest } from '../../tools/sandbox.ts';
import { bwrapArgv } from './bwrap.ts';
import { type Bind, writeInputs } from './inputs.ts';
import { openMemoryGroup } from './memory-group.ts';
import { openPipes } from './pipes.ts';
import { isSystemError, ProcessCell } from './process-cell.ts';
import { infoFd, spawnSandbox } from './spawn.ts';
import type { Stage } from './stage.ts';

export type CellParts = {
  readonly stage: Stage;
  readonly bwrap: string;
  readonly python: string;
  readonly blobs: BlobStore;
};

const mebibyte = 1024 * 1024;

/** A bubblewrap sandbox with a host user, a pid namespace and sized memory files of its own. */
export async function openProcessCell(
  request: ExecRequest,
  parts: CellParts,
  { signal }: { signal: AbortSignal },
): Promise<Cell> {
  const scope = new Scope();
  try {
    return await build(request, parts, { scope, signal });
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    if (!isSystemError(error) || signal.aborted) throw error;
    throw new Fault('EXEC_FAILED', { because: error.message }, { cause: error });
  }
}

async function build(
  request: ExecRequest,
  parts: CellParts,
  { scope, signal }: { scope: Scope; signal: AbortSignal },
): Promise<Cell> {
  const { stage, blobs, bwrap } = parts;
  const slot = scope.own(await ownSlot());
  const { uid } = slot;
  const folder = await stage.folder(request.id, { uid });
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const group = await openMemoryGroup(`${stage.name}-${request.id}`, {
    bytes: request.limits.memoryMb * mebibyte,
  });
  if (group) scope.own(group);
  const inputs = await writeInputs(folder, request, { blobs, signal });
  const pipes = await openPipes(folder, { uid, signal });
  const argv = await sandboxArgv(request, parts, { inputs, group });
  signal.throwIfAborted();
  const spawned = await spawnSandbox(bwrap, { argv, uid, pipes });
  const [stdout, stderr] = [pipes[0].read, pipes[1].read];
  const cell = new ProcessCell(request, { spawned, slot, group, stdout, stderr, scope });
  scope.defer(() => cell.end());
  return cell;
}

/** A worker that is not root cannot become anybody else: only its namespaces keep executions apart. */
async function ownSlot(): Promise<Slot> {
  const uid = process.getuid?.() ?? 0;
  return uid === 0 ? takeSlot() : { uid, [Symbol.asyncDispose]: async () => undefined };
}

async function sandboxArgv(
  request: ExecRequest,
  { stage, python }: CellParts,
  { inputs, group }: { inputs: readonly Bind[]; group: unknown },
): Promise<readonly string[]> {
  const { executor, node } = stage;
  const { limits } = request;
  const bare = { processes: true, memory: group === undefined };
  return [
    ...(await bwrapArgv({ executor, node, inputs, limits, infoFd })),
    ...launcherArgv(request, { python, socket: null, bare }),
  ];
}
