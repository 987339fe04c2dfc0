import type { MountedFile } from '../../../supervisor/cell/cell.ts';
import { coreBytes, sandboxPaths } from '../../../supervisor/cell/launcher-argv.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { ExecRequest } from '../../tools/ports/sandbox.ts';
import type { SandboxHelper } from './helper.ts';
import { writeInputs, writeMountedFile } from './inputs.ts';

type Parts = {
  readonly helper: SandboxHelper;
  /** The sandbox's host user. */
  readonly uid: number;
  readonly blobs: BlobStore;
  /** Host directory that the sandbox sees as its inputs. */
  readonly inputs: string;
  /** Maximum number of files and directories in each writable folder. */
  readonly inodes: number;
};

const writable = [sandboxPaths.work, sandboxPaths.out, sandboxPaths.temporary, '/dev/shm'];

/** Changes a sandbox from outside while its executor waits. `pid` is the host pid of its PID 1. */
export class SandboxSetup {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Sets the limits that a program cannot be trusted with, or that no option of bwrap sets. */
  async limit(pid: number): Promise<void> {
    const { inodes, helper, uid } = this.#parts;
    const places = Object.fromEntries(writable.map((path) => [path, inodes]));
    await helper.request('mounts', {
      ...{ pid, uid, binds: [], inodes: places },
      core: coreBytes,
    });
  }

  async stageInputs(
    pid: number,
    request: ExecRequest,
    { signal }: { signal: AbortSignal },
  ): Promise<void> {
    if (request.inputs.length === 0) return;
    const { inputs, blobs, helper, uid } = this.#parts;
    const binds = await writeInputs(inputs, request, { blobs, signal });
    if (binds.length > 0)
      await helper.request('mounts', {
        ...{ pid, uid, binds, inodes: {} },
        core: null,
      });
  }

  async mountFile(file: MountedFile, { signal }: { signal: AbortSignal }): Promise<void> {
    const { inputs, blobs } = this.#parts;
    await writeMountedFile(inputs, file, { blobs, signal });
  }
}
