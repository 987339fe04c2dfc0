import { randomUUID } from 'node:crypto';
import {
  link,
  mkdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Fault } from '../../base/fault.ts';
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
const unknownHolder: Holder = { pid: 0, started: '', world: '' };

const takeoversMax = 5;

/**
 * Makes the directory and holds it for this process, until disposed or dead: the lock of a dead holder is taken over.
 * A holder that this process cannot see (in another container) is dead when it has not touched its lock for 10 s.
 */
export async function lockDataDir(dir: string): Promise<DataDirLock> {
  const path = join(dir, 'lock');
  const mine = join(dir, `lock.${randomUUID()}`);
  try {
    await mkdir(dir, { recursive: true });
    await writeFile(mine, JSON.stringify(await describe(process.pid)), { flag: 'wx' });
  } catch (cause) {
    throw new Fault('DATA_DIR_UNWRITABLE', { because: dir }, { cause });
  }
  try {
    await take(path, mine);
  } finally {
    await rm(mine, { force: true });
  }
  // A beat that fails (the disk is full, the directory is gone) only makes the lock look older.
  const beat = setInterval(
    () => void utimes(path, new Date(), new Date()).catch(() => undefined),
    lockBeatMs,
  );
  beat.unref();
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(beat);
      await rm(path, { force: true });
    },
  };
}

/** A hard link is made whole or not at all, so nobody ever reads half a lock. */
async function take(path: string, mine: string): Promise<void> {
  for (let attempt = 0; attempt < takeoversMax; attempt += 1) {
    if (await linked(mine, path)) return;
    const found = await readLock(path);
    if (found === undefined) continue;
    if (await isAlive(found, path)) {
      throw new Fault('DATA_DIR_HELD', { because: `process ${found.pid} holds ${path}` });
    }
    await remove(path, found);
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

/** Two may find the same dead lock: whoever moved away somebody's fresh one puts it back. */
async function remove(path: string, dead: Holder): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  const moved = await readLock(aside);
  if (moved && JSON.stringify(moved) !== JSON.stringify(dead)) await linked(aside, path);
  await rm(aside, { force: true });
}

async function readLock(path: string): Promise<Holder | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  return Holder.safeParse(parseJson(text)).data ?? unknownHolder;
}

async function isAlive(holder: Holder, path: string): Promise<boolean> {
  const here = await describe(holder.pid);
  if (holder.world === here.world) return exists(holder.pid) && holder.started === here.started;
  const touched = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
  return Date.now() - touched < lockSilenceMsMax;
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
