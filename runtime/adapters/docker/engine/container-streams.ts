import { PassThrough, type Readable } from 'node:stream';
import type Docker from 'dockerode';
import { z } from 'zod';
import type { Log } from '../../../base/log.ts';
import type { Scope } from '../../../base/scope.ts';
import { statusOf } from './connect.ts';

export type Streams = {
  readonly stdin: NodeJS.WritableStream;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the streams have ended. */
  readonly ended: Promise<void>;
};

/** A container whose streams were attached before it started, so that no output is lost. */
export type AttachedContainer = Streams & { readonly container: Docker.Container };

/** Creates a container. The scope removes it, running or not. */
export async function createAttached(
  docker: Docker,
  options: Docker.ContainerCreateOptions,
  scope: Scope,
): Promise<AttachedContainer> {
  const container = await docker.createContainer(options);
  scope.defer(() => removeContainer(container));
  const stdin = options.AttachStdin === true;
  const streams = { stream: true, hijack: true, stdin, stdout: true, stderr: true };
  return { container, ...demuxStreams(docker, await container.attach(streams)) };
}

/** Starts a further process in a container and returns its streams. The process ends with the container. */
export async function execInContainer(
  container: Docker.Container,
  options: Docker.ExecCreateOptions,
  docker: Docker,
): Promise<Streams> {
  const process = await container.exec(options);
  return demuxStreams(docker, await process.start({ hijack: true, stdin: true }));
}

function demuxStreams(docker: Docker, wire: NodeJS.ReadWriteStream): Streams {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  docker.modem.demuxStream(wire, stdout, stderr);
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      stdout.end();
      stderr.end();
      resolve();
    };
    wire.once('end', end).once('close', end).once('error', end);
  });
  return { stdin: wire, stdout, stderr, ended };
}

/** A container that is already gone is not an error. */
export async function removeContainer(container: Docker.Container): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch (error) {
    const status = statusOf(error);
    // 404: removed; 409: being removed.
    if (status !== 404 && status !== 409) throw error;
  }
}

export async function killContainer(container: Docker.Container, log: Log): Promise<void> {
  try {
    await container.kill();
  } catch (error) {
    // 404, 409: the container is no longer running.
    if (![404, 409].includes(statusOf(error) ?? 0)) log.warn('container not killed', { error });
  }
}

/** Waits for the exit code of a started container. */
export async function exitCode(container: Docker.Container): Promise<number> {
  const answer: unknown = await container.wait();
  return z.object({ StatusCode: z.int() }).parse(answer).StatusCode;
}
