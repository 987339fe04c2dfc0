import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { parseJson } from '../../base/json.ts';
import type { Environment } from '../config/config.ts';
import { workerStartMsMax, workerStopMsMax } from './limits.ts';

/** The line that a worker prints when it is ready. */
const Ready = z.object({
  ready: z.literal(true),
  sandbox: z.string().nullable(),
  sandbox_missing: z.string().exactOptional(),
});
export type WorkerFacts = Pick<z.infer<typeof Ready>, 'sandbox' | 'sandbox_missing'>;

/** How a process ended. */
export type ProcessEnd = { readonly code: number | null; readonly signal: string | null };

export type WorkerChild = {
  readonly pid: number | undefined;
  /** Undefined: it ended before it was ready. */
  readonly ready: Promise<WorkerFacts | undefined>;
  readonly ended: Promise<ProcessEnd>;
  /** Ends it in good order, and by force if that takes too long. */
  stop(): void;
};

/** From source and from a build. */
export const main = join(import.meta.dirname, `../main.${import.meta.filename.slice(-2)}`);

/**
 * Starts `timeloom worker` with this program. It ends when this process does, even after `kill -9`, because its standard
 * input ends then. It writes its log to the same stderr.
 */
export function spawnWorker(env: Environment): WorkerChild {
  const args = [...process.execArgv, main, 'worker', '--ready-json', '--attached'];
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  // It is written to by nobody; it breaks when the worker ends first.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: null, signal: null }));
  });
  const stop = () => endWithin(child, workerStopMsMax);
  return { pid: child.pid, ready: readyOf(child), ended, stop };
}

async function readyOf(child: ChildProcess): Promise<WorkerFacts | undefined> {
  if (!child.stdout) return undefined;
  const late = setTimeout(() => child.kill('SIGKILL'), workerStartMsMax);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const ready = Ready.safeParse(line.startsWith('{') ? parseJson(line) : undefined);
      if (ready.success) return ready.data;
    }
    return undefined;
  } finally {
    clearTimeout(late);
    child.stdout.resume();
  }
}

export function endWithin(child: ChildProcess, ms: number): void {
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), ms);
  child.once('exit', () => clearTimeout(late));
}
