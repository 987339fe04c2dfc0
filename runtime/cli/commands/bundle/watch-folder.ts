import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../adapters/system/clock.ts';
import { watchIntervalMs } from './limits.ts';

type Watch = {
  readonly signal: AbortSignal;
  /** Fingerprint of the loaded files, taken before loading. */
  readonly known: string;
  changed(): Promise<void>;
};

/**
 * Calls `changed`, one call at a time, after files of a folder have changed and then stayed unchanged for a moment, until
 * `signal`. Polling works on every file system and treats a save in many steps as one change.
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

/** False: aborted. */
async function pause(signal: AbortSignal): Promise<boolean> {
  await systemClock.sleep(watchIntervalMs, { signal }).catch(() => undefined);
  return !signal.aborted;
}

/** Names, sizes and times of the files of a revision, without packages and hidden files. */
export async function fingerprintOf(dir: string): Promise<string> {
  const items = await readdir(dir, { withFileTypes: true }).catch(() => []);
  const own = items.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
  const parts = await Promise.all(
    own.map(async (item) => {
      const path = join(dir, item.name);
      if (item.isDirectory()) return fingerprintOf(path);
      // The next poll sees a file that was deleted meanwhile.
      const found = await stat(path).catch(() => undefined);
      return found ? `${path} ${found.size} ${found.mtimeMs} ${found.ino}` : '';
    }),
  );
  return parts.toSorted().join('\n');
}
