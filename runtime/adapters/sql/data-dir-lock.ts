import { randomUUID } from 'node:crypto';
import { link, readFile, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { Fault } from '../../base/fault.ts';
import { makeFolder } from '../../base/folders.ts';
import { parseJson } from '../../base/json.ts';
import { lockBeatMs, lockSilenceMsMax } from './limits.ts';

export type DataDirLock = AsyncDisposable;

/** Who holds a directory. A pid alone is not enough: pids are used again, and containers count their own. */
const Holder = z.object({
  pid: z.number(),
  /** Start of the process in ticks since boot; empty where the system does not tell. */
  started: z.string(),
  /** Where the pid means something: boot and pid namespace. */
  world: z.string(),
});
type Holder = z.output<typeof Holder>;

/** A lock that does not read: like one of a holder out of sight, only its age tells. */
const unknownHolder: Holder = { pid: 0, started: '', world: 'unknown' };

const takeoversMax = 50;
const takeoverPauseMs = 20;
/** A takeover takes a moment; one that is older was cut short by a crash. */
const takeoverAgeMsMax = 5_000;

/**
 * Makes the directory and holds it for this process, until disposed or dead: the lock of a dead holder is taken over.
 * A holder that this process cannot see (in another container) is waited for: if it does not touch its lock for
 * `silenceMs`, it is dead. Faults `DATA_DIR_HELD`, `DATA_DIR_UNWRITABLE`.
 */
export async function lockDataDir(
  dir: string,
  { silenceMs = lockSilenceMsMax }: { silenceMs?: number } = {},
): Promise<DataDirLock> {
  const path = join(dir, 'lock');
  const mine = join(dir, `lock.${randomUUID()}`);
  const holder = await describe(process.pid);
  try {
    await makeFolder(dir);
    await writeFile(mine, JSON.stringify(holder), { flag: 'wx' });
  } catch (cause) {
    throw new Fault('DATA_DIR_UNWRITABLE', { because: dir }, { cause });
  }
  try {
    await take(path, mine, silenceMs);
  } finally {
    await rm(mine, { force: true });
  }
  // A beat that fails (the disk is full, the directory is gone) only makes the lock look older.
  const touch = () => void utimes(path, new Date(), new Date()).catch(() => undefined);
  const beat = setInterval(touch, lockBeatMs).unref();
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(beat);
      await remove(path, holder);
    },
  };
}

/** A hard link is made whole or not at all, so nobody ever reads half a lock. */
async function take(path: string, mine: string, silenceMs: number): Promise<void> {
  for (let attempt = 0; attempt < takeoversMax; attempt += 1) {
    if (await linked(mine, path)) return;
    const found = await readLock(path);
    if (found === undefined) continue;
    if (await isAlive(found, path, silenceMs)) {
      throw new Fault('DATA_DIR_HELD', { because: `process ${found.pid} holds ${path}` });
    }
    await clearAway(path, mine, found);
  }
  throw new Fault('DATA_DIR_HELD', { because: `${path} keeps changing hands` });
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw new Fault('DATA_DIR_UNWRITABLE', { because: to }, { cause: error });
  }
}

/** One at a time clears away the dead and looks again before: nobody clears away who came after them. */
async function clearAway(path: string, mine: string, dead: Holder): Promise<void> {
  const turn = `${path}.takeover`;
  if (!(await linked(mine, turn))) {
    if (Date.now() - (await touchedMs(turn)) > takeoverAgeMsMax) await rm(turn, { force: true });
    await setTimeout(takeoverPauseMs);
    return;
  }
  try {
    await remove(path, dead);
  } finally {
    await rm(turn, { force: true });
  }
}

async function remove(path: string, holder: Holder): Promise<void> {
  const found = await readLock(path);
  if (found && JSON.stringify(found) === JSON.stringify(holder)) await rm(path, { force: true });
}

async function readLock(path: string): Promise<Holder | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  return Holder.safeParse(parseJson(text)).data ?? unknownHolder;
}

async function isAlive(holder: Holder, path: string, silenceMs: number): Promise<boolean> {
  const here = await describe(holder.pid);
  if (holder.world === here.world) return exists(holder.pid) && holder.started === here.started;
  const touched = await touchedMs(path);
  while (Date.now() - touched < silenceMs) {
    await setTimeout(Math.min(lockBeatMs, silenceMs) / 4);
    if ((await touchedMs(path)) !== touched) return true;
  }
  return false;
}

async function touchedMs(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

async function describe(pid: number): Promise<Holder> {
  const line = await orEmpty(readFile(`/proc/${pid}/stat`, 'utf8'));
  // The second field may hold spaces and brackets; the start is the 22nd, the 20th after the last bracket.
  const started = line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  const boot = await orEmpty(readFile('/proc/sys/kernel/random/boot_id', 'utf8'));
  const namespace = await orEmpty(readlink('/proc/self/ns/pid'));
  return { pid, started, world: `${boot.trim()} ${namespace}` };
}

/** Not every system has /proc; without it the pid alone must do. */
async function orEmpty(text: Promise<string>): Promise<string> {
  return await text.catch(() => '');
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
