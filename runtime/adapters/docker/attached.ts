import { PassThrough, type Readable } from 'node:stream';
import type Docker from 'dockerode';
import { z } from 'zod';
import type { Log } from '../../base/log.ts';
import type { Scope } from '../../base/scope.ts';
import { statusOf } from './connect.ts';

/** A created container with its streams taken before it starts, so that nothing it says is lost. */
export type Attached = {
  readonly container: Docker.Container;
  readonly stdin: NodeJS.WritableStream;
  readonly stdout: Readable;
  readonly stderr: Readable;
};

/** The container is removed with the scope, running or not. */
export async function createAttached(
  docker: Docker,
  options: Docker.ContainerCreateOptions,
  scope: Scope,
): Promise<Attached> {
  const container = await docker.createContainer(options);
  scope.defer(() => removeContainer(container));
  const stdin = options.AttachStdin === true;
  const wire = await container.attach({
    stream: true,
    hijack: true,
    stdin,
    stdout: true,
    stderr: true,
  });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  docker.modem.demuxStream(wire, stdout, stderr);
  const end = () => {
    stdout.end();
    stderr.end();
  };
  wire.once('end', end).once('close', end).once('error', end);
  return { container, stdin: wire, stdout, stderr };
}

/** Gone already is as good. */
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
    // 404, 409: it is not running any more, which is what was wanted.
    if (![404, 409].includes(statusOf(error) ?? 0)) log.warn('container not killed', { error });
  }
}

/** The exit code of a container that is about to start. */
export async function nextExit(container: Docker.Container): Promise<number> {
  const answer: unknown = await container.wait({ condition: 'next-exit' });
  return z.object({ StatusCode: z.int() }).parse(answer).StatusCode;
}
