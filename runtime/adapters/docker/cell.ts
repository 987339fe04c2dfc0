import { randomBytes } from 'node:crypto';
import { Duplex, Readable } from 'node:stream';
import type Docker from 'dockerode';
import { z } from 'zod';
import type { Cell, CellKind, Exit, Found, Keep } from '../../../supervisor/cell.ts';
import type { Profile } from '../../../supervisor/profile.ts';
import { takeSlot } from '../../../supervisor/slots.ts';
import { invariant } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { Scope } from '../../base/scope.ts';
import type { BlobStore } from '../../timeline/blobs.ts';
import type { ExecRequest } from '../../tools/sandbox.ts';
import { collectArchive, packInputs } from './archive.ts';
import { type Attached, createAttached, killContainer } from './attached.ts';
import type { DockerRuntime } from './connect.ts';
import { executorContainer, held, supervisorContainer } from './containers.ts';
import type { Images } from './images.ts';
import { inputFolders, openVolumes, type Volumes } from './volumes.ts';

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

const mebibyte = 1024 * 1024;

/** A supervisor and an executor in containers of their own, with one Unix socket between them. */
export async function openDockerCell(
  kind: CellKind,
  parts: CellParts,
  { signal }: { signal: AbortSignal },
): Promise<Cell> {
  const scope = new Scope();
  try {
    return await build(kind, parts, { scope, signal });
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    if (signal.aborted || !(error instanceof Error && isEngineError(error))) throw error;
    throw new Fault('EXEC_FAILED', { because: error.message }, { cause: error });
  }
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

async function nextExit(container: Docker.Container): Promise<number> {
  const answer: unknown = await container.wait({ condition: 'next-exit' });
  return z.object({ StatusCode: z.int() }).parse(answer).StatusCode;
}

type Made = {
  readonly supervisor: Attached;
  readonly executor: Attached;
  readonly waiting: Promise<number>;
  readonly scope: Scope;
  readonly log: Log;
  readonly volumes: Volumes;
  readonly blobs: BlobStore;
  readonly fileMb: number;
};

class DockerCell implements Cell {
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

/** What the engine or the way to it says, as opposed to what is wrong with us. */
function isEngineError(error: Error): boolean {
  return 'statusCode' in error || 'syscall' in error || 'code' in error;
}
