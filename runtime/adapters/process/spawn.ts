import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { constants as os } from 'node:os';
import { Duplex, type Readable } from 'node:stream';
import { readStart } from '../../base/bytes/read-bytes.ts';
import { Fault } from '../../base/fault.ts';
import { type InfoFile, pidIn } from './info-file.ts';
import { infoBytesMax } from './limits.ts';
import { endSandboxOf } from './orphans.ts';
import { closePipes, type Pipe } from './pipes.ts';
import { readInPlace } from './read-in-place.ts';

export type SpawnedSandbox = {
  readonly child: ChildProcess;
  readonly stream: Duplex;
  readonly info: InfoFile;
  /** 128 + signal if it was killed. */
  readonly exitCode: Promise<number>;
};

/** Descriptor for the sandbox information from bwrap; the program does not inherit it. */
export const infoFd = 4;

/** Descriptor from which bwrap reads the filter. */
export const filterFd = 5;

type Options = {
  readonly argv: readonly string[];
  readonly uid: number;
  readonly pipes: readonly [Pipe, Pipe];
  readonly info: InfoFile;
  /** Path of the filter. */
  readonly filter: string;
};

/**
 * Starts bwrap with an empty environment (PID 1 of the sandbox would expose it), a host user that is not root, and its
 * own process group. Closes our write ends of the pipes, so that they end with the last process of the sandbox.
 */
export async function spawnSandbox(bwrap: string, options: Options): Promise<SpawnedSandbox> {
  const { info } = options;
  const child = begin(bwrap, options);
  const exit = once(child, 'exit');
  const frames = child.stdio[3];
  // Before any await: the executor may write at once.
  const stream = frames instanceof Duplex ? readInPlace(frames) : undefined;
  try {
    await once(child, 'spawn');
  } catch (cause) {
    exit.catch(() => undefined);
    stream?.destroy();
    throw new Fault('EXEC_FAILED', { because: 'bwrap did not start' }, { cause });
  }
  if (stream === undefined) throw new Fault('EXEC_FAILED', { because: 'bwrap has no streams' });
  return { child, stream, info, exitCode: endOf(exit, { outer: child.pid, info }) };
}

function begin(bwrap: string, { argv, uid, pipes, info, filter }: Options): ChildProcess {
  const [stdout, stderr] = pipes;
  // Each bwrap reads its own from the start.
  const steps = openSync(filter, 'r');
  try {
    return spawn(bwrap, argv, {
      env: {},
      cwd: '/',
      detached: true,
      stdio: ['ignore', stdout.write, stderr.write, 'pipe', info.fd, steps],
      ...(process.getuid?.() === 0 ? { uid, gid: uid } : {}),
    });
  } finally {
    closeSync(steps);
    closePipes(pipes);
  }
}

/** bwrap waits for its sandbox and exits with its status, unless bwrap itself is killed. */
async function endOf(
  exit: Promise<unknown[]>,
  { outer, info }: { outer: number | undefined; info: InfoFile },
): Promise<number> {
  const [code, signal] = await exit;
  if (typeof code === 'number') return code;
  await endSandboxOf({ outer, inner: info.pid });
  const numbers: Readonly<Record<string, number>> = os.signals;
  return 128 + (numbers[String(signal)] ?? 0);
}

const closingBrace = 0x7d;

/** Reads the host pid of the sandbox's first process from what bwrap writes about it. */
export async function readPid(info: Readable): Promise<number | undefined> {
  // One short JSON object; ignore the rest.
  const start = await readStart(info, { bytesMax: infoBytesMax, until: closingBrace });
  return pidIn(start.toString());
}
