import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { invariant } from '../../../runtime/base/assert.ts';
import { heapMbMax } from '../rpc/limits.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The operating system process of one bundle, with everything that it starts. */
export type Child = {
  readonly pid: number | undefined;
  readonly stream: Socket;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves with a description of the end. */
  readonly exited: Promise<string>;
  /** Kills the process and all its descendants. Idempotent, also after its end. */
  kill(): void;
};

/** Starts a process in `dir` with only this environment. Arguments and environment contain nothing of a tenant. */
export function startChild({ dir, env }: { dir: string; env: Environment }): Child {
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMbMax}`, ...program()], {
    cwd: dir,
    env,
    // A separate group: processes that its tools start end with it, and the worker alone handles Ctrl-C.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  const [, stdout, stderr, stream, leash] = child.stdio;
  invariant(stream instanceof Socket && leash instanceof Socket, 'stream and leash are sockets');
  invariant(
    stdout && 'read' in stdout && stderr && 'read' in stderr,
    'stdout and stderr are readable',
  );
  leash.on('error', () => undefined);
  return { pid: child.pid, stream, stdout, stderr, exited: endOf(child), kill: () => kill(child) };
}

/** The program of the process. When running from source, with the loader of the worker. */
function program(): readonly string[] {
  const isSource = import.meta.url.endsWith('.ts');
  const source = '../child/child-main.ts';
  const main = fileURLToPath(
    new URL(isSource ? source : source.replace(/ts$/, 'js'), import.meta.url),
  );
  if (!isSource) return [main];
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return ['--conditions=timeloom-source', '--import', loader, main];
}

async function endOf(child: ChildProcess): Promise<string> {
  try {
    await once(child, 'exit');
  } catch (error) {
    return `it could not be started: ${error instanceof Error ? error.message : String(error)}`;
  }
  const { exitCode, signalCode } = child;
  return signalCode ? `it was ended by ${signalCode}` : `it exited with ${exitCode}`;
}

function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // No process of the group is left.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
