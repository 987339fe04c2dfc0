import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants as os } from 'node:os';
import { Duplex, type Readable } from 'node:stream';
import { readStart } from '../../base/bytes/read-bytes.ts';
import { Fault } from '../../base/fault.ts';
import { infoBytesMax } from './limits.ts';
import { endSandboxOf } from './orphans.ts';
import type { Pipe } from './pipes.ts';
import { readInPlace } from './read-in-place.ts';

export type SpawnedSandbox = {
  readonly child: ChildProcess;
  readonly stream: Duplex;
  /** Host pid of the sandbox's PID 1; undefined if bwrap failed before it created one. */
  readonly pid: Promise<number | undefined>;
  /** 128 + signal if it was killed. */
  readonly exitCode: Promise<number>;
};

/** Descriptor for the sandbox information from bwrap; the program does not inherit it. */
export const infoFd = 4;

type Options = {
  readonly argv: readonly string[];
  readonly uid: number;
  readonly pipes: readonly [Pipe, Pipe];
};

/**
 * Starts bwrap with an empty environment (PID 1 of the sandbox would expose it), a host user that is not root, and its
 * own process group. Closes our write ends of the pipes, so that they end with the last process of the sandbox.
 */
export async function spawnSandbox(bwrap: string, options: Options): Promise<SpawnedSandbox> {
  const { argv, uid, pipes } = options;
  const [stdout, stderr] = pipes;
  const child = spawn(bwrap, argv, {
    env: {},
    cwd: '/',
    detached: true,
    stdio: ['ignore', stdout.write.fd, stderr.write.fd, 'pipe', 'pipe'],
    ...(process.getuid?.() === 0 ? { uid, gid: uid } : {}),
  });
  const exit = once(child, 'exit');
  const [frames, info] = [child.stdio[3], child.stdio[infoFd]];
  // Before any await: the executor may write at once.
  const stream = frames instanceof Duplex ? readInPlace(frames) : undefined;
  try {
    await once(child, 'spawn');
  } catch (cause) {
    exit.catch(() => undefined);
    stream?.destroy();
    throw new Fault('EXEC_FAILED', { because: 'bwrap did not start' }, { cause });
  } finally {
    await Promise.all(pipes.map(({ write }) => write.close()));
  }
  if (!(stream && info instanceof Duplex)) {
    throw new Fault('EXEC_FAILED', { because: 'bwrap has no streams' });
  }
  const pid = readPid(info);
  return { child, stream, pid, exitCode: endOf(exit, { outer: child.pid, inner: pid }) };
}

/** bwrap waits for its sandbox and exits with its status, unless bwrap itself is killed. */
async function endOf(
  exit: Promise<unknown[]>,
  { outer, inner }: { outer: number | undefined; inner: Promise<number | undefined> },
): Promise<number> {
  const [code, signal] = await exit;
  if (typeof code === 'number') return code;
  await endSandboxOf({ outer, inner });
  const numbers: Readonly<Record<string, number>> = os.signals;
  return 128 + (numbers[String(signal)] ?? 0);
}

const closingBrace = 0x7d;

/** Reads the host pid of the sandbox's first process from what bwrap writes about it. */
export async function readPid(info: Readable): Promise<number | undefined> {
  // One short JSON object; ignore the rest.
  const start = await readStart(info, { bytesMax: infoBytesMax, until: closingBrace });
  const pid = Number(/"child-pid":\s*(\d+)/.exec(start.toString())?.[1] ?? 0);
  return pid > 1 ? pid : undefined;
}
