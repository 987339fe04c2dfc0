import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A place a program writes to, and what it may hold of the program's own. */
export type Room = {
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
export function isFull(room: Room, uid: number): boolean {
  const sum = { bytes: 0, files: 0 };
  const folders = [room.path];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = entriesOf(folder);
    if (entries === 'unmeasurable') return true;
    for (const { name } of entries) {
      const path = join(folder, name);
      if (count(path, { uid, sum })) folders.push(path);
    }
    if (sum.files > room.filesMax || sum.bytes > room.bytesMax) return true;
  }
  return false;
}

/** True for a folder, which is looked into whoever made it. */
function count(path: string, { uid, sum }: { uid: number; sum: Sum }): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.uid === uid) {
    sum.files += 1;
    sum.bytes += found.blocks * blockBytes;
  }
  return found?.isDirectory() === true;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) !== 'EACCES') return gone(error);
  }
  try {
    chmodSync(folder, 0o700);
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    return gone(error);
  }
}

/** Removed or replaced since it was listed; whatever else it is, nobody can say how much lies there. */
function gone(error: unknown): readonly [] | 'unmeasurable' {
  return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error)) ? [] : 'unmeasurable';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
