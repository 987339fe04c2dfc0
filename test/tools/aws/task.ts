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

/** One task, as containers that share this machine's network, as those of a task share theirs. */
export class LocalTask {
  readonly arn: string;
  readonly tags: unknown;
  readonly ended: Promise<void>;
  readonly #docker: Docker;
  readonly #volumes: readonly string[];
  readonly #parts: readonly Part[];
  #because = '';
  #stopped = false;

  private constructor(
    docker: Docker,
    facts: { arn: string; tags: unknown; volumes: readonly string[]; parts: readonly Part[] },
  ) {
    this.#docker = docker;
    this.arn = facts.arn;
    this.tags = facts.tags;
    this.#volumes = facts.volumes;
    this.#parts = facts.parts;
    this.ended = this.#watch();
  }

  static async run(
    docker: Docker,
    definition: TaskDefinition,
    {
      overrides,
      tags,
      env,
    }: { overrides: readonly Override[]; tags: unknown; env: readonly string[] },
  ): Promise<LocalTask> {
    const id = randomBytes(16).toString('hex');
    const volumes = definition.Volumes.map(({ Name }) => `task-${id}-${Name}`);
    const parts: Part[] = [];
    for (const each of definition.ContainerDefinitions) {
      const override = overrides.find(({ name }) => name === each.Name);
      const options = toOptions(each, { override, id, env });
      parts.push({
        definition: each,
        container: await docker.createContainer(options),
        exit: undefined,
      });
    }
    const arn = `arn:aws:ecs:eu-central-1:000000000000:task/timeloom/${id}`;
    const task = new LocalTask(docker, { arn, tags, volumes, parts });
    // The supervisor comes first: its executor depends on it.
    for (const { container } of parts.toSorted(
      (a, b) => Number(b.definition.Essential) - Number(a.definition.Essential),
    ))
      await container.start();
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
      taskArn: this.arn,
      lastStatus: this.#stopped ? 'STOPPED' : 'RUNNING',
      stoppedReason: this.#stopped ? this.#because : undefined,
      containers,
      tags: this.tags,
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
    const { StatusCode: code } = (await container.wait({ condition: 'next-exit' })) as {
      StatusCode: number;
    };
    const { State } = await container.inspect();
    part.exit = { code, outOfMemory: State.OOMKilled };
    if (!definition.Essential) return;
    const said = await container.logs({ stdout: true, stderr: true, tail: 20 });
    await this.stop(`Essential container in task exited: ${said}`);
  }
}

function toOptions(
  definition: ContainerDefinition,
  { override, id, env }: { override: Override | undefined; id: string; env: readonly string[] },
): Docker.ContainerCreateOptions {
  const { Image, User, LinuxParameters, MountPoints, Ulimits = [] } = definition;
  const memory = override?.memory ?? definition.Memory;
  const { command, environment = [] } = override ?? {};
  return {
    Image,
    User,
    Env: [...env, ...environment.map(({ name, value }) => `${name}=${value}`)],
    ...(command === undefined ? {} : { Cmd: [...command] }),
    HostConfig: {
      NetworkMode: 'host',
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
