import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { builtFolder } from '../../../adapters/bundles/build-page.ts';
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

/** Names, sizes and times of the sources of a revision. */
export async function fingerprintOf(dir: string): Promise<string> {
  const found = await sourcesIn(dir);
  const parts = found.map(({ path, size, mtimeMs, ino }) => `${path} ${size} ${mtimeMs} ${ino}`);
  return parts.toSorted().join('\n');
}

/** When the newest source was changed, in milliseconds since 1970. */
export async function newestOf(dir: string): Promise<number> {
  return Math.max(0, ...(await sourcesIn(dir)).map(({ mtimeMs }) => mtimeMs));
}

type Source = {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
};

/** Files without packages, hidden files and built pages. */
async function sourcesIn(dir: string): Promise<readonly Source[]> {
  const items = await readdir(dir, { withFileTypes: true }).catch(() => []);
  const isPage = items.some(({ name }) => name === 'package.json');
  const made = isPage ? ['node_modules', builtFolder] : ['node_modules'];
  const own = items.filter(({ name }) => !name.startsWith('.') && !made.includes(name));
  const found = await Promise.all(
    own.map(async (item): Promise<readonly Source[]> => {
      const path = join(dir, item.name);
      if (item.isDirectory()) return sourcesIn(path);
      // The next poll sees a file that was deleted meanwhile.
      const file = await stat(path).catch(() => undefined);
      return file ? [{ path, size: file.size, mtimeMs: file.mtimeMs, ino: file.ino }] : [];
    }),
  );
  return found.flat();
}
