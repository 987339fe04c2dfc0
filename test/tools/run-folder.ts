import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const suffix = '.running.json';
const variable = 'TIMELOOM_TEST_RUN';
const pollMs = 25;

/** A server that outlives the test file that has started it; the run ends it. */
type Running = { readonly pid: number; readonly folder: string };

/** Where the servers that test files share have their data. Made by the process that starts the workers. */
export function runFolder(): string {
  process.env[variable] ??= makeFolder();
  return process.env[variable];
}

/** Servers that are not root's own find their data in it. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'timeloom-run-'));
  chmodSync(folder, 0o755);
  return folder;
}

export async function leaveRunning(name: string, running: Running): Promise<void> {
  await writeFile(join(runFolder(), `${name}${suffix}`), JSON.stringify(running));
}

/** For one that has ended before the run: its number may be that of another process by then. */
export async function forgetRunning(name: string): Promise<void> {
  await rm(join(runFolder(), `${name}${suffix}`));
}

/** Ends what test files have left running, and removes the folder of the run. */
export async function endRun(): Promise<void> {
  const folder = runFolder();
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(suffix));
  await Promise.all(
    files.map(async (name) => {
      const running = JSON.parse(await readFile(join(folder, name), 'utf8')) as Running;
      await stopServer(running.folder, running.pid);
    }),
  );
  await rm(folder, { recursive: true, force: true });
}

/** For a run that is cut off: asks what is left to end, without waiting for it. */
export function abandonRun(): void {
  const folder = runFolder();
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).filter((each) => each.endsWith(suffix))) {
    signal((JSON.parse(readFileSync(join(folder, name), 'utf8')) as Running).pid, 'SIGINT');
  }
}

/** Ends a server and removes its folder. */
export async function stopServer(folder: string, pid: number): Promise<void> {
  await endServer(folder, pid);
  await rm(folder, { recursive: true, force: true });
}

/** Asks a server (dockerd, postgres) to end at once, and waits until it has. */
export async function endServer(folder: string, pid: number): Promise<void> {
  if (signal(pid, 'SIGINT')) while (signal(pid, 0)) await setTimeout(pollMs);
  // What containers on the host's network leave behind of Docker; elsewhere it is not mounted.
  await run('umount', [join(folder, 'exec-root/netns/default')]).catch(() => undefined);
}

export function isRunning(pid: number): boolean {
  return signal(pid, 0);
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  if (pid === 0) return false;
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
