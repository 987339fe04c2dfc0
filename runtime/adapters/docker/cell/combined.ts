import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { type Exit, killedExit } from '../../../../supervisor/cell/cell.ts';
import type { Log } from '../../../base/log.ts';
import { Work } from '../../../base/signal.ts';
import {
  type Attached,
  createAttached,
  exitCode,
  killContainer,
  runBeside,
} from '../engine/container-streams.ts';
import { combinedContainer, combinedSupervisor } from '../engine/containers.ts';
import { guardMsMax, markBytes } from '../engine/limits.ts';
import { LastWord } from './exit-record.ts';
import type { Ground, Standing } from './open-cell.ts';

/**
 * A supervisor and an executor in one container, two users of which neither may do anything to the
 * other. The first process is a guard: it alone can end the program, and how the program ended is
 * what the guard says behind a mark that it is told here and that no program can know.
 */
export async function standTogether(ground: Ground): Promise<Standing> {
  const { kind, docker, spec, scope, log, signal } = ground;
  const room = await createAttached(docker, combinedContainer(kind, spec), scope);
  signal.throwIfAborted();
  await room.container.start();
  const gone = exitCode(room.container);
  gone.catch(() => undefined);
  const mark = randomBytes(markBytes);
  room.stdin.write(mark);
  const supervisor = await runBeside(room.container, combinedSupervisor, docker);
  const stdout = room.stdout.pipe(new LastWord(mark));
  const stderr = room.stderr.pipe(new LastWord(mark));
  const said = Promise.all([stdout.said, stderr.said]).then(([ended]) => ended);
  const exited = exit(room, { said, left: supervisor.ended, gone, log });
  const kill = () => end(room, { over: exited, log });
  return { holder: room.container, supervisor, stdout, stderr, exited, kill };
}

type Ends = {
  /** By the guard, of its program. */
  readonly said: Promise<Omit<Exit, 'lost'>>;
  /** By the supervisor. */
  readonly left: Promise<void>;
  /** All of it. */
  readonly gone: Promise<number>;
  readonly log: Log;
};

/** How the program ended; or that supervisor or guard ended before it did, with which everything ends. */
async function exit(room: Attached, { said, left, gone, log }: Ends): Promise<Exit> {
  try {
    const over = Promise.race([said, gone]);
    const first = await Promise.race([over, left]);
    if (typeof first === 'object') return { ...first, lost: false };
    if (first === undefined) await end(room, { over, log });
    const outOfMemory = await wantedMemory(room.container, await over);
    return { ...killedExit, outOfMemory, lost: !outOfMemory };
  } catch (error) {
    log.warn('executor lost', { error });
    return { ...killedExit, lost: true };
  }
}

/** When memory is wanting the kernel may take the supervisor, or the guard. The guard is sure of it, the engine at times. */
async function wantedMemory(
  room: Docker.Container,
  last: Omit<Exit, 'lost'> | number,
): Promise<boolean> {
  if (typeof last === 'object') return last.outOfMemory;
  return (await room.inspect()).State.OOMKilled;
}

/** By its guard, so that the files stay; a guard that the program holds up costs it the files. */
async function end(
  { container, stdin }: Attached,
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
