import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Duplex, Readable } from 'node:stream';
import type { Cell, Exit, Found, Keep } from '../../../supervisor/cell.ts';
import { fileBeneath } from '../../../supervisor/files-out.ts';
import { inside } from '../../../supervisor/launch.ts';
import type { Profile } from '../../../supervisor/profile.ts';
import type { Slot } from '../../../supervisor/slots.ts';
import { invariant } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import type { Scope } from '../../base/scope.ts';
import type { BlobStore } from '../../timeline/blobs.ts';
import type { ExecRequest } from '../../tools/sandbox.ts';
import { writeInputs } from './inputs.ts';
import type { LimitGroup } from './limit-group.ts';
import { type Changes, changeMounts } from './mounts.ts';
import type { Spawned } from './spawn.ts';

const mebibyte = 1024 * 1024;

/** Everything a program can write to. */
const writable = [inside.work, inside.out, inside.temporary, '/dev/shm'];

type Made = {
  readonly spawned: Spawned;
  readonly slot: Slot;
  readonly group: LimitGroup | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly scope: Scope;
  readonly python: string;
  readonly blobs: BlobStore;
  /** Directory of ours that the sandbox sees as its inputs. */
  readonly inputs: string;
  readonly fileMb: number;
  readonly profile: Profile;
};

/** A running sandbox: PID 1, its pipes, its memory limit and its files, which outlive it. */
export class ProcessCell implements Cell {
  readonly stream: Duplex;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<Exit>;
  readonly memory: 'kernel' | 'best-effort';
  readonly #made: Made;
  #pid: number | undefined;
  #gone = false;
  /** Keeps OUTPUT_DIR alive when its sandbox, and with it the mount, has ended. */
  #out: FileHandle | undefined;

  constructor(made: Made) {
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
    const { inodes } = this.#made.profile;
    await this.#change({ inodes: Object.fromEntries(writable.map((path) => [path, inodes])) });
    const flags = constants.O_RDONLY | constants.O_DIRECTORY;
    this.#out = await open(`/proc/${pid}/root${inside.out}`, flags);
  }

  async furnish(request: ExecRequest, { signal }: { signal: AbortSignal }): Promise<void> {
    if (request.inputs.length === 0) return;
    const { inputs, blobs } = this.#made;
    const binds = await writeInputs(inputs, request, { blobs, signal });
    if (binds.length > 0) await this.#change({ binds });
  }

  terminate(): void {
    if (!this.#gone && this.#pid !== undefined) killed(this.#pid, 'SIGTERM');
  }

  kill(): void {
    if (this.#gone) return;
    // With PID 1 every process of its namespace is gone before bwrap sees the end.
    if (this.#pid === undefined || !killed(this.#pid, 'SIGKILL'))
      this.#made.spawned.child.kill('SIGKILL');
  }

  async collect(
    paths: readonly string[],
    { keep, signal }: { keep: Keep; signal: AbortSignal },
  ): Promise<ReadonlyMap<string, Found>> {
    const found = new Map<string, Found>();
    const bytesMax = this.#made.fileMb * mebibyte;
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

  async #change(changes: Partial<Changes>): Promise<void> {
    const { python, slot } = this.#made;
    invariant(this.#pid !== undefined, 'only a settled cell is furnished');
    await changeMounts({ binds: [], inodes: {}, ...changes }, { python, pid: this.#pid, ...slot });
  }

  async #exit(): Promise<Exit> {
    const { spawned, group } = this.#made;
    const code = await spawned.exitCode;
    this.#gone = true;
    return { code, outOfMemory: (await group?.exceeded()) ?? false, lost: false };
  }
}

/** False: it has just ended. */
function killed(pid: number, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
