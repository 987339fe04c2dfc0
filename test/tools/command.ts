import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { patient } from './machine-speed.ts';

const root = join(import.meta.dirname, '../..');
const entry = join(root, 'dist/runtime/cli/main.js');

/** A command that never ends is a failure, and must not stay behind. */
const usualMsMax = patient(120_000);

type Place = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** As this user of the system; root only. */
  readonly uid?: number;
  readonly msMax?: number;
  /** For a test that stops it. */
  readonly started?: (child: ChildProcess) => void;
};
type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** The built command line, run to its end with nothing of this machine's settings. */
export async function runCommand(
  args: readonly string[],
  { cwd = root, env, uid, msMax = usualMsMax, started }: Place = {},
): Promise<Ended> {
  if (!existsSync(entry)) throw new Error('the program is not built: run npm run build');
  const own = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env };
  const child = spawn(process.execPath, [entry, ...args], {
    cwd,
    env: own,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: msMax,
    killSignal: 'SIGKILL',
    ...(uid === undefined ? {} : { uid }),
  });
  started?.(child);
  const gone = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await gone;
  return { code: child.exitCode, stdout, stderr };
}
