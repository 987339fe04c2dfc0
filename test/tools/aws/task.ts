import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import type { ContainerDefinition, TaskDefinition } from './task-definition.ts';

const mebibyte = 1024 * 1024;

export type Override = {
  readonly name: string;
  readonly command?: readonly string[];
  readonly memory?: number;
  readonly environment?: readonly { readonly name: string; readonly value: string }[];
};

type Part = {
  readonly definition: ContainerDefinition;
  readonly container: Docker.Container;
  exit: { code: number; outOfMemory: boolean } | undefined;
};

/** Where tasks run and what every container of one receives, whatever its definition says. */
export type TaskPlace = {
  readonly docker: Docker;
  readonly definition: TaskDefinition;
  /** As Docker's NetworkMode: all containers of a task share one. */
  readonly network: string;
  readonly env: readonly string[];
};

/** One task, as containers that share a network. */
export class LocalTask {
  readonly #docker: Docker;
  readonly #volumes: readonly string[];
  readonly #parts: readonly Part[];
  #because = '';
  #stopped = false;

  private constructor(
    docker: Docker,
    facts: { volumes: readonly string[]; parts: readonly Part[] },
  ) {
    this.#docker = docker;
    this.#volumes = facts.volumes;
    this.#parts = facts.parts;
  }

  static async run(
    place: TaskPlace,
    { overrides }: { overrides: readonly Override[] },
  ): Promise<LocalTask> {
    const { docker, definition } = place;
    const id = randomBytes(16).toString('hex');
    const volumes = definition.Volumes.map(({ Name }) => `task-${id}-${Name}`);
    const parts: Part[] = [];
    for (const each of definition.ContainerDefinitions) {
      const override = overrides.find(({ name }) => name === each.Name);
      const options = toOptions(each, { override, id, place });
      parts.push({
        definition: each,
        container: await docker.createContainer(options),
        exit: undefined,
      });
    }
    const task = new LocalTask(docker, { volumes, parts });
    // The supervisor comes first: its executor depends on it.
    for (const { container } of parts.toSorted(
      (a, b) => Number(b.definition.Essential) - Number(a.definition.Essential),
    ))
      await container.start();
    void task.#watch();
    return task;
  }

  async stop(reason: string): Promise<void> {
    this.#because ||= reason;
    const running = this.#parts.filter(({ exit }) => exit === undefined);
    await Promise.all(running.map(({ container }) => container.kill().catch(() => undefined)));
  }

  describe() {
    const containers = this.#parts.map(({ definition, exit }) => ({
      name: definition.Name,
      lastStatus: exit === undefined ? 'RUNNING' : 'STOPPED',
      ...(exit === undefined ? {} : { exitCode: exit.code }),
      ...(exit?.outOfMemory
        ? { reason: 'OutOfMemoryError: Container killed due to memory usage' }
        : {}),
    }));
    return {
      lastStatus: this.#stopped ? 'STOPPED' : 'RUNNING',
      stoppedReason: this.#stopped ? this.#because : undefined,
      containers,
    };
  }

  async #watch(): Promise<void> {
    await Promise.all(this.#parts.map((part) => this.#watchOne(part)));
    for (const { container } of this.#parts) await container.remove({ force: true, v: true });
    for (const name of this.#volumes)
      await this.#docker
        .getVolume(name)
        .remove({ force: true })
        .catch(() => undefined);
    this.#stopped = true;
  }

  async #watchOne(part: Part): Promise<void> {
    const { container, definition } = part;
    const { StatusCode: code } = (await container.wait()) as { StatusCode: number };
    const { State } = await container.inspect();
    // A busy engine may lose the kernel's word about memory; who is killed before anybody has stopped the task wanted too much.
    const outOfMemory = State.OOMKilled || (code === 137 && this.#because === '');
    part.exit = { code, outOfMemory };
    if (!definition.Essential) return;
    const said = await container.logs({ stdout: true, stderr: true, tail: 20 });
    await this.stop(`Essential container in task exited: ${said}`);
  }
}

/** What a program prints that is started as the executor of a task, in its network, without anything of ours before it. */
export async function bareIn(place: TaskPlace, argv: readonly string[]): Promise<string> {
  const definition = place.definition.ContainerDefinitions.find(({ Name }) => Name === 'executor');
  if (definition === undefined) throw new Error('a task without an executor');
  const id = randomBytes(16).toString('hex');
  const options = toOptions({ ...definition, MountPoints: [] }, { override: undefined, id, place });
  const [entry = '', ...Cmd] = argv;
  const container = await place.docker.createContainer({ ...options, Entrypoint: [entry], Cmd });
  await container.start();
  await container.wait();
  const said = await container.logs({ stdout: true, stderr: false });
  await container.remove({ v: true });
  return text(said);
}

/** Of an answer in which each piece has eight bytes before it. */
function text(framed: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at < framed.length; ) {
    const end = at + 8 + framed.readUInt32BE(at + 4);
    pieces.push(framed.subarray(at + 8, end));
    at = end;
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** A container of a definition; its volumes are those of the task `id`. */
export function toOptions(
  definition: ContainerDefinition,
  { override, id, place }: { override: Override | undefined; id: string; place: TaskPlace },
): Docker.ContainerCreateOptions {
  const { Image, EntryPoint, User, LinuxParameters, MountPoints, Ulimits = [] } = definition;
  const memory = override?.memory ?? definition.Memory;
  const { command, environment = [] } = override ?? {};
  return {
    Image,
    User,
    ...(EntryPoint === undefined ? {} : { Entrypoint: EntryPoint }),
    Env: [...place.env, ...environment.map(({ name, value }) => `${name}=${value}`)],
    ...(command === undefined ? {} : { Cmd: [...command] }),
    HostConfig: {
      NetworkMode: place.network,
      ReadonlyRootfs: true,
      CapDrop: LinuxParameters.Capabilities.Drop,
      Init: LinuxParameters.InitProcessEnabled === true,
      ...(memory === undefined ? {} : { Memory: memory * mebibyte, MemorySwap: memory * mebibyte }),
      Ulimits: Ulimits.map(({ Name, SoftLimit, HardLimit }) => ({
        Name,
        Soft: SoftLimit,
        Hard: HardLimit,
      })),
      Mounts: MountPoints.map(({ SourceVolume, ContainerPath, ReadOnly }) => ({
        Type: 'volume' as const,
        Source: `task-${id}-${SourceVolume}`,
        Target: ContainerPath,
        ReadOnly,
      })),
    },
  };
}
