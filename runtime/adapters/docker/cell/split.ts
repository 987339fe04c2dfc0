import type Docker from 'dockerode';
import { type Exit, killedExit } from '../../../../supervisor/cell/cell.ts';
import type { Log } from '../../../base/log.ts';
import { createAttached, exitCode, killContainer } from '../engine/container-streams.ts';
import { executorContainer, supervisorContainer } from '../engine/containers.ts';
import { openSocketVolume } from '../engine/volumes.ts';
import type { CellContainers, CellContext } from './open-cell.ts';

/** Starts supervisor and executor in separate containers, connected by one Unix socket. */
export async function startSplit(context: CellContext): Promise<CellContainers> {
  const { kind, docker, own, scope, log, signal } = context;
  const spec = { ...context.spec, socket: await openSocketVolume(docker, own) };
  const [supervisor, executor] = await Promise.all([
    createAttached(docker, supervisorContainer(spec), scope),
    createAttached(docker, executorContainer(kind, spec), scope),
  ]);
  signal.throwIfAborted();
  await Promise.all([supervisor.container.start(), executor.container.start()]);
  const { container, stdout, stderr } = executor;
  const exited = exit(container, log);
  const kill = () => killContainer(container, log);
  return { holder: supervisor.container, supervisor, stdout, stderr, exited, kill };
}

async function exit(executor: Docker.Container, log: Log): Promise<Exit> {
  try {
    const code = await exitCode(executor);
    const { State } = await executor.inspect();
    // A busy engine may lose the kernel's out-of-memory report. Apart from the kernel only we kill it, and then we ignore this exit.
    const outOfMemory = State.OOMKilled || code === killedExit.code;
    return { code, outOfMemory, lost: false };
  } catch (error) {
    log.warn('executor lost', { error });
    return { ...killedExit, lost: true };
  }
}
