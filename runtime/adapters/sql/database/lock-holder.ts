import { readFile, readlink, stat } from 'node:fs/promises';
import { z } from 'zod';
import { parseJson } from '../../../base/json.ts';

/** The process that holds a directory. A pid alone is not enough: pids are reused, and each container has its own. */
const LockHolder = z.object({
  pid: z.number(),
  /** Start of the process in ticks since boot; empty if the system does not report it. */
  started: z.string(),
  /** Where the pid is valid: boot and pid namespace. */
  world: z.string(),
});
export type LockHolder = z.output<typeof LockHolder>;

/** For a lock that cannot be parsed. As with a holder in another container, only its age counts. */
const unknownHolder: LockHolder = { pid: 0, started: '', world: 'unknown' };

export async function describeProcess(pid: number): Promise<LockHolder> {
  const line = await orEmpty(readFile(`/proc/${pid}/stat`, 'utf8'));
  // The second field may contain spaces and brackets. The start time is the 22nd field, the 20th after the last bracket.
  const started = line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  const boot = await orEmpty(readFile('/proc/sys/kernel/random/boot_id', 'utf8'));
  const namespace = await orEmpty(readlink('/proc/self/ns/pid'));
  return { pid, started, world: `${boot.trim()} ${namespace}` };
}

/** The holder that a lock file names; undefined if there is no such file. */
export async function readLock(path: string): Promise<LockHolder | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  return LockHolder.safeParse(parseJson(text)).data ?? unknownHolder;
}

export function isSameHolder(a: LockHolder | undefined, b: LockHolder): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Whether the process is running; undefined for a holder in another pid namespace. */
export async function isRunning(holder: LockHolder): Promise<boolean | undefined> {
  const here = await describeProcess(holder.pid);
  if (holder.world !== here.world) return undefined;
  return exists(holder.pid) && holder.started === here.started;
}

/** When the lock was last touched, in milliseconds since 1970; 0 if it does not exist. */
export async function touchedMs(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

export function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Not every system has /proc; without it only the pid is known. */
async function orEmpty(text: Promise<string>): Promise<string> {
  return await text.catch(() => '');
}
