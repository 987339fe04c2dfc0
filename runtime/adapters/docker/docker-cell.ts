import { Duplex, Readable } from 'node:stream';
import type { Cell, Exit, Found, Keep } from '../../../supervisor/cell.ts';
import { invariant } from '../../base/assert.ts';
import type { Log } from '../../base/log.ts';
import type { Scope } from '../../base/scope.ts';
import type { BlobStore } from '../../timeline/blobs.ts';
import type { ExecRequest } from '../../tools/sandbox.ts';
import { collectArchive, packInputs } from './archive.ts';
import { type Attached, killContainer } from './attached.ts';
import { held } from './containers.ts';
import { inputFolders, type Volumes } from './volumes.ts';

const mebibyte = 1024 * 1024;

/** What a cell in Docker is made of. */
export type Made = {
  readonly supervisor: Attached;
  readonly executor: Attached;
  readonly waiting: Promise<number>;
  readonly scope: Scope;
  readonly log: Log;
  readonly volumes: Volumes;
  readonly blobs: BlobStore;
  readonly fileMb: number;
};

/** An executor and its supervisor in containers that run. */
export class DockerCell implements Cell {
  readonly stream: Duplex;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<Exit>;
  readonly memory = 'kernel';
  readonly #made: Made;
  #killed: Promise<void> | undefined;

  constructor(made: Made) {
    const { supervisor, executor } = made;
    this.#made = made;
    this.stream = Duplex.from({ readable: supervisor.stdout, writable: supervisor.stdin });
    // Nothing the supervisor logs is a program's; it is only drained.
    supervisor.stderr.resume();
    this.stdout = executor.stdout;
    this.stderr = executor.stderr;
    this.exited = this.#exit();
  }

  async settle(): Promise<void> {
    // Limits and files are the container's from its first moment.
  }

  async furnish(request: ExecRequest, { signal }: { signal: AbortSignal }): Promise<void> {
    const { blobs, supervisor, volumes } = this.#made;
    for (const folder of inputFolders(request.inputs)) {
      const index = volumes.inputs.findIndex((each) => each.folder === folder.folder);
      invariant(index >= 0, 'a cell is opened with the folders it will hold');
      const archive = await packInputs(folder, { tenant: request.tenant, blobs, signal });
      const path = `${held.inputs}/${index}`;
      await supervisor.container.putArchive(Readable.from(archive), { path });
    }
  }

  kill(): void {
    this.#killed ??= killContainer(this.#made.executor.container, this.#made.log);
  }

  async collect(
    paths: readonly string[],
    { keep, signal }: { keep: Keep; signal: AbortSignal },
  ): Promise<ReadonlyMap<string, Found>> {
    const { container } = this.#made.supervisor;
    const archive = await container.getArchive({ path: held.out });
    const bytesMax = this.#made.fileMb * mebibyte;
    const options = { wanted: paths, keep, bytesMax, signal };
    return collectArchive(archive, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#killed;
    this.stream.destroy();
    await this.#made.scope[Symbol.asyncDispose]();
  }

  async #exit(): Promise<Exit> {
    const { executor, waiting, log } = this.#made;
    try {
      const code = await waiting;
      const { State } = await executor.container.inspect();
      return { code, outOfMemory: State.OOMKilled, lost: false };
    } catch (error) {
      log.warn('executor lost', { error });
      return { code: 137, outOfMemory: false, lost: true };
    } finally {
      // The supervisor stays, its container holds the files; but nobody asks through it any more.
      this.#made.supervisor.stdout.destroy();
    }
  }
}
