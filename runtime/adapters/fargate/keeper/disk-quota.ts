import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A place a program writes to, and what it may hold of the program's own. */
export type DiskQuota = {
  readonly path: string;
  readonly bytesMax: number;
  readonly filesMax: number;
};

type Sum = { bytes: number; files: number };

const blockBytes = 512;

/**
 * Whether more lies there than may: bytes as the disk counts them, files and folders of this user. A folder that its
 * owner has locked is opened again; what cannot be measured is too much.
 */
export function exceedsQuota(room: DiskQuota, uid: number): boolean {
  const sum = { bytes: 0, files: 0 };
  const folders = [room.path];
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const name of namesIn(folder)) {
        if (isFolder({ folder, name }, { uid, sum })) folders.push(join(folder, name));
      }
      if (sum.files > room.filesMax || sum.bytes > room.bytesMax) return true;
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

/** Counts it, if it is this user's. A folder is looked into whoever made it. */
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

/** Undefined for what is not there any more. A folder may be locked at any moment. */
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
