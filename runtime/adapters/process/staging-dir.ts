import { randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, chmod, chown, cp, lstat, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { executorFolder } from '../../../supervisor/cell/executor-folder.ts';
import { takeHostLock } from '../../../supervisor/cell/host-lock.ts';
import { openReaper } from '../../../supervisor/cell/reaper.ts';
import type { Log } from '../../base/log.ts';
import { removeGroups } from './limit-group.ts';
import { reapEveryMs } from './limits.ts';
import { endOrphans } from './orphans.ts';
import { systemArgv } from './system-folders.ts';

const prefix = 'timeloom-exec-';

/** Files that all sandboxes of this process share, in a directory that any host user can read and only we can write. */
export interface StagingDir extends AsyncDisposable {
  readonly name: string;
  readonly executor: string;
  readonly node: string;
  /** Arguments of bwrap that show the libraries and interpreters of this machine. */
  readonly system: readonly string[];
  /** A new directory for one cell: owned by us, readable by the slot's group. */
  folder(options: { uid: number }): Promise<{ readonly name: string; readonly path: string }>;
}

/** Opens our staging directory, and removes those of dead workers now and at intervals. */
export async function openStagingDir({ log }: { log: Log }): Promise<StagingDir> {
  const name = `${prefix}${randomBytes(6).toString('hex')}`;
  const path = join(tmpdir(), name);
  // Take the lock before the directory exists: a staging directory without a held lock counts as an orphan.
  const held = await takeHostLock(name);
  await mkdir(path, { mode: 0o700 });
  const reap = () => removeOrphans(dirname(path), log);
  const reaper = openReaper({ everyMs: reapEveryMs, log, reap });
  await reaper.first;
  const files = await fill(path);
  let refilling: Promise<void> | undefined;
  const refill = async () => {
    log.warn('temporary files of the sandbox were removed and are made again', { path });
    await fill(path).finally(() => {
      refilling = undefined;
    });
  };
  let cells = 0;
  return {
    name,
    ...files,
    system: await systemArgv(),
    folder: async ({ uid }) => {
      cells += 1;
      const cell = { name: `cell_${cells}`, path: join(path, `cell_${cells}`) };
      // What cleans the machine's temporary files removes the executor with its folder, or the executor alone.
      if (!existsSync(files.executor)) refilling ??= refill();
      await refilling;
      await mkdir(cell.path, { mode: 0o750 });
      if (process.getuid?.() === 0) await chown(cell.path, 0, uid);
      return cell;
    },
    [Symbol.asyncDispose]: async () => {
      await reaper[Symbol.asyncDispose]();
      await rm(path, { recursive: true, force: true });
      await held?.[Symbol.asyncDispose]();
    },
  };
}

/** The files that all cells share. */
async function fill(path: string): Promise<Pick<StagingDir, 'executor' | 'node'>> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  // The program's host user has no rights here, but must be able to reach the files that are mounted for it.
  await chmod(path, 0o711);
  const executor = join(path, 'executor');
  const node = await readableNode(path);
  await cp(executorFolder(), executor, { recursive: true });
  await chmod(executor, 0o755);
  return { executor, node };
}

/** Version managers keep Node in a private home directory; another user needs a copy. */
async function readableNode(stage: string): Promise<string> {
  if (process.getuid?.() !== 0 || (await isPublic(process.execPath))) return process.execPath;
  const copy = join(stage, 'node');
  await cp(process.execPath, copy, { mode: constants.COPYFILE_FICLONE });
  await chmod(copy, 0o755);
  return copy;
}

async function isPublic(path: string): Promise<boolean> {
  const { mode } = await stat(path);
  if ((mode & 0o001) === 0) return false;
  return path === '/' || isPublic(dirname(path));
}

/** Removes what dead workers left behind. A name whose lock can be taken is an orphan. */
async function removeOrphans(parent: string, log: Log): Promise<number> {
  let count = 0;
  const isOrphan = async (name: string) => {
    const stage = /^timeloom-exec-[^-]+/.exec(name)?.[0];
    if (stage === undefined) return false;
    await using held = await takeHostLock(stage);
    return held !== undefined;
  };
  await endOrphans(isOrphan);
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    if (!(await isOrphan(name)) || !(await isOurs(path))) continue;
    count += await rm(path, { recursive: true, force: true }).then(
      () => 1,
      (error: unknown) => {
        // Belongs to another user of this machine, whose next worker will remove it.
        log.warn('orphan not removed', { name, error });
        return 0;
      },
    );
  }
  await removeGroups(isOrphan);
  return count;
}

/** Whether our own user owns it. Someone who can write to a folder can replace an entry by a link while it is being removed. */
async function isOurs(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && found.uid === (process.getuid?.() ?? found.uid);
}

/** Finds the system's Python: those of version managers are in private home directories. */
export async function findPython(): Promise<string | undefined> {
  for (const path of ['/usr/bin/python3', '/usr/local/bin/python3']) {
    if (await runs(path)) return path;
  }
  return undefined;
}

export async function findBubblewrap(): Promise<string | undefined> {
  for (const path of ['/usr/bin/bwrap', '/usr/local/bin/bwrap']) {
    if (await runs(path)) return path;
  }
  return undefined;
}

async function runs(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
