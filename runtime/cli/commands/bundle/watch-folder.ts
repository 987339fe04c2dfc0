import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../adapters/system/clock.ts';
import { watchIntervalMs } from './limits.ts';

type Watch = {
  readonly signal: AbortSignal;
  /** The picture of what is loaded, taken before it was. */
  readonly known: string;
  changed(): Promise<void>;
};

/**
 * Calls `changed` after files of a folder have changed from `known` and have then been still for a moment, one call at a
 * time, until `signal`. Looked at rather than listened to: that works on every file system, and a save in many steps is one change.
 */
export async function watchFolder(dir: string, { signal, changed, ...at }: Watch): Promise<void> {
  let { known } = at;
  let seen = known;
  while (await pause(signal)) {
    const now = await fingerprintOf(dir);
    const isStill = now === seen;
    seen = now;
    if (!isStill || now === known) continue;
    known = now;
    await changed();
  }
}

/** False: it is over. */
async function pause(signal: AbortSignal): Promise<boolean> {
  await systemClock.sleep(watchIntervalMs, { signal }).catch(() => undefined);
  return !signal.aborted;
}

/** Names, sizes and times of the files that make a revision: packages and hidden ones do not. */
export async function fingerprintOf(dir: string): Promise<string> {
  const items = await readdir(dir, { withFileTypes: true }).catch(() => []);
  const own = items.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
  const parts = await Promise.all(
    own.map(async (item) => {
      const path = join(dir, item.name);
      if (item.isDirectory()) return fingerprintOf(path);
      // A file that is gone since is a change that the next look sees.
      const found = await stat(path).catch(() => undefined);
      return found ? `${path} ${found.size} ${found.mtimeMs} ${found.ino}` : '';
    }),
  );
  return parts.toSorted().join('\n');
}
