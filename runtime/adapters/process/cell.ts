import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Duplex, Readable } from 'node:stream';
import type { Cell, Exit, Found, Keep } from '../../../supervisor/cell.ts';
import { fileBeneath } from '../../../supervisor/files-out.ts';
import { inside, launcherArgv } from '../../../supervisor/launch.ts';
import { type Slot, takeSlot } from '../../../supervisor/slots.ts';
import { Fault } from '../../base/fault.ts';
import { Scope } from '../../base/scope.ts';
import type { BlobStore } from '../../timeline/blobs.ts';
import type { ExecRequest } from '../../tools/sandbox.ts';
import { bwrapArgv } from './bwrap.ts';
import { type Bind, writeInputs } from './inputs.ts';
import { type MemoryGroup, openMemoryGroup } from './memory-group.ts';
import { openPipes } from './pipes.ts';
import { infoFd, type Spawned, spawnSandbox } from './spawn.ts';
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

type Made = {
  readonly spawned: Spawned;
  readonly slot: Slot;
  readonly group: MemoryGroup | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly scope: Scope;
};

class ProcessCell implements Cell {
  readonly stream: Duplex;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<Exit>;
  readonly memory: 'kernel' | 'best-effort';
  readonly #request: ExecRequest;
  readonly #made: Made;
  #pid: number | undefined;
  #gone = false;
  /** Keeps OUTPUT_DIR alive when its sandbox, and with it the mount, has ended. */
  #out: FileHandle | undefined;

  constructor(request: ExecRequest, made: Made) {
    this.#request = request;
    this.#made = made;
    this.stream = made.spawned.stream;
    this.stdout = made.stdout;
    this.stderr = made.stderr;
    this.memory = made.group ? 'kernel' : 'best-effort';
    this.exited = this.#exit();
  }

  async settle(): Promise<void> {
    const { spawned, group } = this.#made;
    const pid = await spawned.pid;
    if (pid === undefined) throw new Fault('EXEC_FAILED', { because: 'no process in the sandbox' });
    this.#pid = pid;
    await group?.join(pid);
    const flags = constants.O_RDONLY | constants.O_DIRECTORY;
    this.#out = await open(`/proc/${pid}/root${inside.out}`, flags);
  }

  kill(): void {
    if (this.#gone) return;
    // With PID 1 every process of its namespace is gone before bwrap sees the end.
    if (this.#pid === undefined || !killed(this.#pid)) this.#made.spawned.child.kill('SIGKILL');
  }

  async collect(
    paths: readonly string[],
    { keep, signal }: { keep: Keep; signal: AbortSignal },
  ): Promise<ReadonlyMap<string, Found>> {
    const found = new Map<string, Found>();
    const bytesMax = this.#request.limits.fileMb * mebibyte;
    for (const path of paths) {
      signal.throwIfAborted();
      if (this.#out === undefined) found.set(path, { kind: 'missing' });
      else
        found.set(path, await fileBeneath(this.#out, path, { ...this.#made.slot, keep, bytesMax }));
    }
    return found;
  }

  async end(): Promise<void> {
    this.kill();
    await this.exited;
    this.stream.destroy();
    this.stdout.destroy();
    this.stderr.destroy();
    await this.#out?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#made.scope[Symbol.asyncDispose]();
  }

  async #exit(): Promise<Exit> {
    const { spawned, group } = this.#made;
    const code = await spawned.exitCode;
    this.#gone = true;
    return { code, outOfMemory: (await group?.exceeded()) ?? false, lost: false };
  }
}

/** False: it has just ended. */
function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
