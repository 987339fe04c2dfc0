import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { Refusal } from '../../../base/refusal.ts';
import type { Environment } from '../../config/config.ts';

const readyDeadlineMs = 60_000;
const closeDeadlineMs = 15_000;
const logCharsMax = 4_000;

const Ready = z.object({
  ready: z.literal(true),
  url: z.url(),
  /** The backend that runs programs; null: no sandbox is available. */
  sandbox: z.string().nullable(),
  /** Why no sandbox is available, and how to fix it. */
  sandbox_missing: z.string().optional(),
});

export type DemoServer = AsyncDisposable & {
  readonly ready: z.infer<typeof Ready>;
  /** The last lines of its log. */
  log(): string;
};

/** Starts `timeloom serve` as a separate process. Throws Refusal `demo_failed` with its log if it does not start. */
export async function startServer(
  env: Environment,
  { signal }: { signal: AbortSignal },
): Promise<DemoServer> {
  const entry = process.argv[1] ?? '';
  const args = [...process.execArgv, entry, 'serve', '--ready-json'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const stop = () => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  const close = async () => {
    signal.removeEventListener('abort', stop);
    await end(child);
  };
  const log = logOf(child);
  try {
    return { ready: await becomeReady(child, log), log, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

function logOf({ stderr }: ChildProcess): () => string {
  let tail = '';
  stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    const all = `${tail}${chunk}`;
    // Keeps whole lines.
    tail = all.length > logCharsMax ? all.slice(-logCharsMax).replace(/^.*\n(?=.)/, '') : all;
  });
  return () => tail.trim();
}

async function becomeReady(child: ChildProcess, log: () => string): Promise<z.infer<typeof Ready>> {
  const { stdout } = child;
  if (!stdout) throw new Refusal('demo_failed', 'the server has no output');
  const late = setTimeout(() => child.kill('SIGKILL'), readyDeadlineMs);
  try {
    for await (const line of createInterface({ input: stdout })) {
      const ready = line.startsWith('{') ? Ready.safeParse(JSON.parse(line)) : undefined;
      if (ready?.success) return ready.data;
    }
  } finally {
    clearTimeout(late);
    stdout.resume();
  }
  throw new Refusal('demo_failed', `the server did not start\n${log()}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), closeDeadlineMs);
  await exited;
  clearTimeout(late);
}
