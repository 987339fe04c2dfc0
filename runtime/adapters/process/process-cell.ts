import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Duplex, Readable } from 'node:stream';
import type {
  Cell,
  Exit,
  FileRetention,
  FoundOutput,
  MountedFile,
} from '../../../supervisor/cell/cell.ts';
import { sandboxPaths } from '../../../supervisor/cell/launcher-argv.ts';
import type { Slot } from '../../../supervisor/cell/slots.ts';
import { isFolder } from '../../../supervisor/files/contract.ts';
import { fileBeneath, filesIn } from '../../../supervisor/files/output-walk.ts';
import { invariant } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import type { Scope } from '../../base/scope.ts';
import type { ExecRequest } from '../../tools/ports/sandbox.ts';
import type { LimitGroup } from './limit-group.ts';
import type { SandboxSetup } from './sandbox-setup.ts';
import type { SpawnedSandbox } from './spawn.ts';

const mebibyte = 1024 * 1024;

type CellParts = {
  readonly spawned: SpawnedSandbox;
  readonly slot: Slot;
  readonly group: LimitGroup | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly scope: Scope;
  readonly furnisher: SandboxSetup;
  readonly fileMb: number;
};

/** A running sandbox: its PID 1, pipes, memory limit and files. The files outlive it. */
export class ProcessCell implements Cell {
  readonly stream: Duplex;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<Exit>;
  readonly memory: 'kernel' | 'best-effort';
  readonly #made: CellParts;
  #pid: number | undefined;
  #gone = false;
  /** Keeps OUTPUT_DIR alive after the sandbox, and its mount, have ended. */
  #out: FileHandle | undefined;

  constructor(made: CellParts) {
    this.#made = made;
    this.stream = made.spawned.stream;
    this.stdout = made.stdout;
    this.stderr = made.stderr;
    this.memory = made.group ? 'kernel' : 'best-effort';
    this.exited = this.#exit();
  }

  async settle(): Promise<void> {
    const { spawned, group, furnisher } = this.#made;
    const { pid } = spawned.info;
    if (pid === undefined) throw new Fault('EXEC_FAILED', { because: 'no process in the sandbox' });
    this.#pid = pid;
    await group?.join(pid);
    await furnisher.limit(pid);
    const flags = constants.O_RDONLY | constants.O_DIRECTORY;
    this.#out = await open(`/proc/${pid}/root${sandboxPaths.out}`, flags);
  }

  async stageInputs(request: ExecRequest, { signal }: { signal: AbortSignal }): Promise<void> {
    invariant(this.#pid !== undefined, 'inputs are staged after the cell has settled');
    try {
      await this.#made.furnisher.stageInputs(this.#pid, request, { signal });
    } catch (error) {
      throw isSystemError(error) ? toFault(error) : error;
    }
  }

  async mountFile(file: MountedFile, { signal }: { signal: AbortSignal }): Promise<void> {
    try {
      await this.#made.furnisher.mountFile(file, { signal });
    } catch (error) {
      throw isSystemError(error) ? toFault(error) : error;
    }
  }

  terminate(): void {
    if (!this.#gone && this.#pid !== undefined) killed(this.#pid, 'SIGTERM');
  }

  kill(): void {
    if (this.#gone) return;
    // When PID 1 ends, every process of its namespace ends before bwrap notices.
    if (this.#pid === undefined || !killed(this.#pid, 'SIGKILL'))
      this.#made.spawned.child.kill('SIGKILL');
  }

  async collect(
    paths: readonly string[],
    {
      keep,
      signal,
      found,
    }: { keep: FileRetention; signal: AbortSignal; found: Map<string, FoundOutput> },
  ): Promise<void> {
    try {
      await this.#collect(paths, { keep, signal, found });
    } catch (error) {
      throw isSystemError(error) ? toFault(error) : error;
    }
  }

  async #collect(
    paths: readonly string[],
    {
      keep,
      signal,
      found,
    }: { keep: FileRetention; signal: AbortSignal; found: Map<string, FoundOutput> },
  ): Promise<void> {
    const [out, { slot, fileMb }] = [this.#out, this.#made];
    const options = { ...slot, keep, bytesMax: fileMb * mebibyte };
    for (const path of paths.filter((each) => !isFolder(each))) {
      signal.throwIfAborted();
      found.set(path, out ? await fileBeneath(out, path, options) : { kind: 'missing' });
    }
    for (const folder of paths.filter(isFolder)) {
      const files = out ? await filesIn(out, folder, slot) : [];
      for (const { path, size } of files.filter((file) => !found.has(file.path))) {
        signal.throwIfAborted();
        const taken = out && keep.keeps({ path, size });
        found.set(path, taken ? await fileBeneath(out, path, options) : { kind: 'unasked', size });
      }
    }
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

/** False if the process has just ended. */
function killed(pid: number, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}

function toFault(error: Error): Fault {
  return new Fault('EXEC_FAILED', { because: error.message }, { cause: error });
}

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
