import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { type Exit, killedExit } from '../../../supervisor/cell.ts';
import type { Log } from '../../base/log.ts';
import { Work } from '../../base/signal.ts';
import { type Attached, createAttached, killContainer, nextExit, runBeside } from './attached.ts';
import { combinedContainer, combinedSupervisor } from './containers.ts';
import { LastWord } from './last-word.ts';
import { guardMsMax, markBytes } from './limits.ts';
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
  const gone = nextExit(room.container);
  gone.catch(() => undefined);
  await room.container.start();
  const mark = randomBytes(markBytes);
  room.stdin.write(mark);
  const supervisor = await runBeside(room.container, combinedSupervisor, docker);
  const stdout = room.stdout.pipe(new LastWord(mark));
  const stderr = room.stderr.pipe(new LastWord(mark));
  const said = Promise.all([stdout.said, stderr.said]).then(([ended]) => ended);
  const exited = exit(room.container, { said, left: supervisor.ended, gone, log });
  const kill = () => end(room, { exited, log });
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
async function exit(room: Docker.Container, { said, left, gone, log }: Ends): Promise<Exit> {
  try {
    const first = await Promise.race([said, left.then(() => 'left'), gone]);
    if (typeof first === 'object') return { ...first, lost: false };
    if (first === 'left') await killContainer(room, log);
    await gone;
    const { State } = await room.inspect();
    return { ...killedExit, outOfMemory: State.OOMKilled, lost: !State.OOMKilled };
  } catch (error) {
    log.warn('executor lost', { error });
    return { ...killedExit, lost: true };
  }
}

/** By its guard, so that the files stay; a guard that the program holds up costs it the files. */
async function end(
  { container, stdin }: Attached,
  { exited, log }: { exited: Promise<Exit>; log: Log },
): Promise<void> {
  using work = new Work(new AbortController().signal, { deadlineMs: guardMsMax });
  let killed: Promise<void> | undefined;
  const kill = () => {
    killed = killContainer(container, log);
  };
  work.signal.addEventListener('abort', kill, { once: true });
  stdin.write('.');
  await exited;
  await killed;
}
