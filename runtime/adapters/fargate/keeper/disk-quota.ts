import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A folder that a program writes to, and how much the program may store there. */
export type DiskQuota = {
  readonly path: string;
  readonly bytesMax: number;
  readonly filesMax: number;
};

type Sum = { bytes: number; files: number };

const blockBytes = 512;

/**
 * Whether the folder exceeds its quota: bytes as the disk counts them, files and folders of this user. A folder that
 * its owner has locked is unlocked; a folder that cannot be measured counts as exceeded.
 */
export function exceedsQuota(quota: DiskQuota, uid: number): boolean {
  const sum = { bytes: 0, files: 0 };
  const folders = [quota.path];
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const name of namesIn(folder)) {
        if (isFolder({ folder, name }, { uid, sum })) folders.push(join(folder, name));
      }
      if (sum.files > quota.filesMax || sum.bytes > quota.bytesMax) return true;
    }
    return false;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return true;
  }
}

function namesIn(folder: string): readonly string[] {
  return readUnlocked(folder, () => readdirSync(folder)) ?? [];
}

/** Counts the entry if this user owns it. Folders of any owner are searched. */
function isFolder(
  { folder, name }: { folder: string; name: string },
  { uid, sum }: { uid: number; sum: Sum },
): boolean {
  const found = readUnlocked(folder, () => lstatSync(join(folder, name)));
  if (found?.uid === uid) {
    sum.files += 1;
    sum.bytes += found.blocks * blockBytes;
  }
  return found?.isDirectory() === true;
}

/** Undefined if the entry no longer exists. The program may lock a folder at any moment. */
function readUnlocked<T>(folder: string, look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code !== 'EACCES') throw error;
  }
  chmodSync(folder, 0o700);
  return look();
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
