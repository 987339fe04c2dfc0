import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { type Exit, killedExit } from '../../../../supervisor/cell/cell.ts';
import type { Log } from '../../../base/log.ts';
import { Work } from '../../../base/signal.ts';
import {
  type AttachedContainer,
  createAttached,
  execInContainer,
  exitCode,
  killContainer,
} from '../engine/container-streams.ts';
import { combinedContainer, combinedSupervisor } from '../engine/containers.ts';
import { guardMsMax, markBytes } from '../engine/limits.ts';
import { ExitRecordReader } from './exit-record.ts';
import type { CellContainers, CellContext } from './open-cell.ts';

/**
 * A supervisor and an executor in one container, as two users that cannot affect each other. PID 1 is a guard:
 * only it can kill the program. It reports how the program ended after a random mark, which it receives here and
 * which no program can know.
 */
export async function startCombined(context: CellContext): Promise<CellContainers> {
  const { kind, docker, spec, scope, log, signal } = context;
  const main = await createAttached(docker, combinedContainer(kind, spec), scope);
  signal.throwIfAborted();
  await main.container.start();
  const containerExited = exitCode(main.container);
  containerExited.catch(() => undefined);
  const mark = randomBytes(markBytes);
  main.stdin.write(mark);
  const supervisor = await execInContainer(main.container, combinedSupervisor, docker);
  const stdout = main.stdout.pipe(new ExitRecordReader(mark));
  const stderr = main.stderr.pipe(new ExitRecordReader(mark));
  const record = Promise.all([stdout.record, stderr.record]).then(([ended]) => ended);
  const exited = exit(main, { record, supervisorEnded: supervisor.ended, containerExited, log });
  const kill = () => end(main, { over: exited, log });
  return { holder: main.container, supervisor, stdout, stderr, exited, kill };
}

type EndSources = {
  /** The guard's report on its program. */
  readonly record: Promise<Omit<Exit, 'lost'>>;
  /** The supervisor has ended. */
  readonly supervisorEnded: Promise<void>;
  /** Exit code of the whole container. */
  readonly containerExited: Promise<number>;
  readonly log: Log;
};

/** How the program ended. If the supervisor or the guard ends first, the whole container ends. */
async function exit(
  main: AttachedContainer,
  { record, supervisorEnded, containerExited, log }: EndSources,
): Promise<Exit> {
  try {
    const over = Promise.race([record, containerExited]);
    const first = await Promise.race([over, supervisorEnded]);
    if (typeof first === 'object') return { ...first, lost: false };
    if (first === undefined) await end(main, { over, log });
    const outOfMemory = await ranOutOfMemory(main.container, await over);
    return { ...killedExit, outOfMemory, lost: !outOfMemory };
  } catch (error) {
    log.warn('executor lost', { error });
    return { ...killedExit, lost: true };
  }
}

/** When memory runs out, the kernel may kill the supervisor or the guard. The guard reports this reliably, the engine only sometimes. */
async function ranOutOfMemory(
  main: Docker.Container,
  last: Omit<Exit, 'lost'> | number,
): Promise<boolean> {
  if (typeof last === 'object') return last.outOfMemory;
  return (await main.inspect()).State.OOMKilled;
}

/** Ends the program by its guard, so that its files remain. If the program blocks the guard, the container is killed and the files are lost. */
async function end(
  { container, stdin }: AttachedContainer,
  { over, log }: { over: Promise<unknown>; log: Log },
): Promise<void> {
  using work = new Work(new AbortController().signal, { deadlineMs: guardMsMax });
  let killed: Promise<void> | undefined;
  const kill = () => {
    killed = killContainer(container, log);
  };
  work.signal.addEventListener('abort', kill, { once: true });
  stdin.write('.');
  await over;
  await killed;
}
