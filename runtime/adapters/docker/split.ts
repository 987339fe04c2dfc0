import type Docker from 'dockerode';
import { type Exit, killedExit } from '../../../supervisor/cell.ts';
import type { Log } from '../../base/log.ts';
import { createAttached, killContainer, nextExit } from './attached.ts';
import { executorContainer, supervisorContainer } from './containers.ts';
import type { Ground, Standing } from './open-cell.ts';
import { openSocketVolume } from './volumes.ts';

/** A supervisor and an executor in containers of their own, with one Unix socket between them. */
export async function standApart(ground: Ground): Promise<Standing> {
  const { kind, docker, own, scope, log, signal } = ground;
  const spec = { ...ground.spec, socket: await openSocketVolume(docker, own) };
  const [supervisor, executor] = await Promise.all([
    createAttached(docker, supervisorContainer(spec), scope),
    createAttached(docker, executorContainer(kind, spec), scope),
  ]);
  signal.throwIfAborted();
  const waiting = nextExit(executor.container);
  // A container that never starts never ends: the wait is given up with the cell.
  waiting.catch(() => undefined);
  await Promise.all([supervisor.container.start(), executor.container.start()]);
  const { container, stdout, stderr } = executor;
  const exited = exit(container, { waiting, log });
  const kill = () => killContainer(container, log);
  return { holder: supervisor.container, supervisor, stdout, stderr, exited, kill };
}

async function exit(
  executor: Docker.Container,
  { waiting, log }: { waiting: Promise<number>; log: Log },
): Promise<Exit> {
  try {
    const code = await waiting;
    const { State } = await executor.inspect();
    // A busy engine may lose the kernel's word about memory, and nobody else kills but us, who know it.
    const outOfMemory = State.OOMKilled || code === killedExit.code;
    return { code, outOfMemory, lost: false };
  } catch (error) {
    log.warn('executor lost', { error });
    return { ...killedExit, lost: true };
  }
}
