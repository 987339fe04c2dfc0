import type { Duplex, Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type Docker from 'dockerode';
import type {
  Cell,
  Exit,
  FileRetention,
  Found,
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
/** The status of a harness whose stream is over. */
const withoutSupervisor = 70;

/** What a cell in Docker is made of. */
export type CellDeps = {
  /** The container by which the engine puts inputs and takes files, for as long as it runs. */
  readonly holder: Docker.Container;
  readonly supervisor: Streams;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Never rejects. */
  readonly exited: Promise<Exit>;
  /** SIGKILL for every process of the program; resolves when that was said, and never rejects. */
  kill(): Promise<void>;
  readonly scope: Scope;
  readonly volumes: Volumes;
  readonly blobs: BlobStore;
  readonly fileMb: number;
};

/** An executor and its supervisor, in whatever containers they run. */
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
    // Nothing the supervisor logs is a program's; it is only drained.
    supervisor.stderr.resume();
    this.stdout = stdout;
    this.stderr = stderr;
    this.exited = exitOf(made).finally(() => stream.leave());
  }

  async settle(): Promise<void> {
    // Limits and files are the container's from its first moment.
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
    }: { keep: FileRetention; signal: AbortSignal; found: Map<string, Found> },
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

  /** By one archive, into folders that the program only reads. */
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

/** An executor that ends for want of its supervisor says so; whether it tells the truth, and whether memory was wanting instead, is seen here. */
async function exitOf({ exited, supervisor }: CellDeps): Promise<Exit> {
  const exit = await exited;
  if (exit.code !== withoutSupervisor) return exit;
  const waited = new AbortController();
  const late = setTimeout(supervisorEndMsMax, false, waited).catch(() => false);
  const ended = await Promise.race([supervisor.ended.then(() => true), late]);
  waited.abort();
  return { ...exit, lost: ended && !exit.outOfMemory };
}
