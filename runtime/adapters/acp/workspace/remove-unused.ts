import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openReaper, type Reaper } from '../../../../supervisor/cell/reaper.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import { workspaceReapEveryMs } from './limits.ts';
import { tryLockWorkspace } from './workspace-folder.ts';
import { stateFile } from './workspace-state.ts';

const dayMs = 24 * 60 * 60 * 1000;

type Options = { readonly keepDays: number; readonly clock: Clock; readonly log: Log };

/** Removes unused workspaces, now and at intervals. */
export function openWorkspaceReaper(root: string, { keepDays, clock, log }: Options): Reaper {
  const reap = ({ signal }: { signal: AbortSignal }) =>
    removeUnused(root, { beforeMs: clock.now() - keepDays * dayMs, signal });
  return openReaper({ everyMs: workspaceReapEveryMs, log, reap });
}

/** Removes the workspaces of this machine that were last used before this time. Returns their number. */
export async function removeUnused(
  root: string,
  { beforeMs, signal }: { readonly beforeMs: number; readonly signal: AbortSignal },
): Promise<number> {
  let count = 0;
  for (const conversation of await namesIn(root)) {
    for (const name of await namesIn(join(root, conversation))) {
      signal.throwIfAborted();
      if (await removeIfUnused(join(root, conversation, name), beforeMs)) count += 1;
    }
    // Only an empty folder is removed.
    await rmdir(join(root, conversation)).catch(() => undefined);
  }
  return count;
}

async function removeIfUnused(folder: string, beforeMs: number): Promise<boolean> {
  if ((await usedAtMs(folder)) >= beforeMs) return false;
  await using held = await tryLockWorkspace(folder);
  // A program works in it, or has done so in the meantime.
  if (!held || (await usedAtMs(folder)) >= beforeMs) return false;
  await rm(folder, { recursive: true, force: true });
  return true;
}

/** The state of a workspace is written at each use. */
async function usedAtMs(folder: string): Promise<number> {
  const found = await stat(join(folder, stateFile)).catch(() => stat(folder));
  return found.mtimeMs;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
