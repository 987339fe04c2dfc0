import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { systemEnv } from './system-env.ts';

const root = join(import.meta.dirname, '../..');
const entry = join(root, 'dist/runtime/cli/main.js');
const Ready = z.object({ ready: z.literal(true), url: z.string(), sandbox: z.string().nullable() });

/** For a test that starts programs one after the other: a busy machine takes ten seconds for each. */
export const serverTestsMsMax = 600_000;

export type Served = AsyncDisposable & {
  readonly url: string;
  readonly sandbox: string | null;
  readonly pid: number;
  /** What it said on stderr so far. */
  readonly log: () => string;
  /** Resolves when the process is gone. */
  readonly exited: Promise<unknown>;
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>;
};

/** The built program as an operator starts it, in a process of its own. */
export async function startServe(
  env: Readonly<Record<string, string>>,
  command: 'serve' | 'worker' | 'gateway' = 'serve',
  args: readonly string[] = [],
): Promise<Served> {
  if (!existsSync(entry)) throw new Error('the program is not built: run npm run build');
  const child = spawn(process.execPath, [entry, command, '--ready-json', ...args], {
    cwd: root,
    env: {
      ...systemEnv(),
      TIMELOOM_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += String(chunk);
  });
  const exited = once(child, 'exit');
  const ready = await becomeReady(child, () => said);
  return {
    ...ready,
    exited,
    pid: child.pid ?? 0,
    log: () => said,
    kill: () => end(child, 'SIGKILL'),
    [Symbol.asyncDispose]: () => end(child, 'SIGTERM'),
  };
}

async function becomeReady(child: ChildProcess, said: () => string) {
  if (child.stdout) {
    for await (const line of createInterface({ input: child.stdout })) {
      const ready = line.startsWith('{') ? Ready.safeParse(JSON.parse(line)) : undefined;
      if (ready?.success) {
        child.stdout.resume();
        return ready.data;
      }
    }
  }
  throw new Error(`serve did not start: ${said()}`);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}
