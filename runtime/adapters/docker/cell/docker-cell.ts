import type { Duplex, Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type Docker from 'dockerode';
import type {
  Cell,
  Exit,
  FileRetention,
  FoundOutput,
  MountedFile,
} from '../../../../supervisor/cell/cell.ts';
import type { Scope } from '../../../base/scope.ts';
import type { BlobStore } from '../../../timeline/ports/blobs.ts';
import type { ExecRequest } from '../../../tools/ports/sandbox.ts';
import type { Streams } from '../engine/container-streams.ts';
import { engineFolders } from '../engine/containers.ts';
import { withEngineFault } from '../engine/engine-fault.ts';
import { supervisorEndMsMax } from '../engine/limits.ts';
import { ProcessStream } from '../engine/process-stream.ts';
import { type PlacedFile, placeInputs, placeMountedFile, type Volumes } from '../engine/volumes.ts';
import { collectArchive, packFiles } from './archive.ts';

const mebibyte = 1024 * 1024;
/** Exit status of a harness whose stream has ended. */
const withoutSupervisor = 70;

/** What a cell in Docker depends on. */
export type CellDeps = {
  /** The container through which the engine puts inputs and collects files, as long as it runs. */
  readonly holder: Docker.Container;
  readonly supervisor: Streams;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Never rejects. */
  readonly exited: Promise<Exit>;
  /** Sends SIGKILL to every process of the program. Resolves when it was sent; never rejects. */
  kill(): Promise<void>;
  readonly scope: Scope;
  readonly volumes: Volumes;
  readonly blobs: BlobStore;
  readonly fileMb: number;
};

/** An executor and its supervisor, in one container or two. */
export class DockerCell implements Cell {
  readonly stream: Duplex;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<Exit>;
  readonly memory = 'kernel';
  readonly #deps: CellDeps;
  #killed: Promise<void> | undefined;

  constructor(made: CellDeps) {
    const { supervisor, stdout, stderr } = made;
    this.#deps = made;
    const stream = new ProcessStream(supervisor);
    this.stream = stream;
    // The supervisor's log is not program output; only drain it.
    supervisor.stderr.resume();
    this.stdout = stdout;
    this.stderr = stderr;
    this.exited = exitOf(made).finally(() => stream.leave());
  }

  async settle(): Promise<void> {
    // The container has its limits and files from the start.
  }

  async stageInputs(request: ExecRequest, { signal }: { signal: AbortSignal }): Promise<void> {
    const { tenant, inputs } = request;
    if (inputs.length === 0) return;
    await withEngineFault(() =>
      this.#put(placeInputs(inputs, this.#deps.volumes), { tenant, signal }),
    );
  }

  async mountFile(file: MountedFile, { signal }: { signal: AbortSignal }): Promise<void> {
    const { tenant } = file;
    await withEngineFault(() =>
      this.#put([placeMountedFile(file, this.#deps.volumes)], { tenant, signal }),
    );
  }

  kill(): void {
    this.#killed ??= this.#deps.kill();
  }

  async collect(
    paths: readonly string[],
    {
      keep,
      signal,
      found,
    }: { keep: FileRetention; signal: AbortSignal; found: Map<string, FoundOutput> },
  ): Promise<void> {
    const { holder, fileMb } = this.#deps;
    const bytesMax = fileMb * mebibyte;
    await withEngineFault(async () => {
      const archive = await holder.getArchive({ path: engineFolders.out });
      await collectArchive(archive, { wanted: paths, keep, bytesMax, signal, found });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#killed;
    this.stream.destroy();
    await this.#deps.scope[Symbol.asyncDispose]();
  }

  /** Puts files as one archive into folders that are read-only for the program. */
  async #put(
    files: readonly PlacedFile[],
    options: { tenant: string; signal: AbortSignal },
  ): Promise<void> {
    const { blobs, holder } = this.#deps;
    await holder.putArchive(packFiles(files, { ...options, blobs }), {
      path: engineFolders.inputs,
    });
  }
}

/** An executor that lost its supervisor exits with a status of its own. Check here whether that is true, or whether it ran out of memory instead. */
async function exitOf({ exited, supervisor }: CellDeps): Promise<Exit> {
  const exit = await exited;
  if (exit.code !== withoutSupervisor) return exit;
  const waited = new AbortController();
  const late = setTimeout(supervisorEndMsMax, false, waited).catch(() => false);
  const ended = await Promise.race([supervisor.ended.then(() => true), late]);
  waited.abort();
  return { ...exit, lost: ended && !exit.outOfMemory };
}
