import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { patient } from './machine-speed.ts';
import { systemEnv } from './system-env.ts';

type CommandLine = {
  runCommandLine(args: readonly string[], options: { signal: AbortSignal }): Promise<number>;
};

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
  const own = { ...systemEnv(), ...env };
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

let lastHere: Promise<unknown> = Promise.resolve();

/**
 * The same in this process, for what a process of its own would show no better: loading the program takes most of the time of
 * a command. One at a time, because they share streams and environment.
 */
export function runCommandHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const ended = lastHere.then(() => runHere(args, env));
  lastHere = ended.catch(() => undefined);
  return ended;
}

async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const require = createRequire(import.meta.url);
  const { runCommandLine } = require('../../dist/runtime/cli/command-line.js') as CommandLine;
  const before = { ...process.env };
  const stdout = capture(process.stdout);
  const stderr = capture(process.stderr);
  setEnv({ ...systemEnv(), ...env });
  try {
    const code = await runCommandLine(args, new AbortController());
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    setEnv(before);
    stdout[Symbol.dispose]();
    stderr[Symbol.dispose]();
  }
}

function capture(stream: NodeJS.WriteStream): Disposable & { readonly text: () => string } {
  const pieces: string[] = [];
  const { write } = stream;
  stream.write = (piece: string | Uint8Array) => pieces.push(Buffer.from(piece).toString()) > 0;
  return {
    text: () => pieces.join(''),
    [Symbol.dispose]: () => {
      stream.write = write;
    },
  };
}

function setEnv(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}
