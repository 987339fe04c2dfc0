import { access, chmod, constants, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault } from './fault.ts';

/**
 * Makes a folder that somebody named, and the folders above it; one that is there stays as it is. Node's own
 * `recursive` never ends where a folder is there and answers that it is not, as `/proc` does.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) await makeFolder(above);
  try {
    await mkdir(path);
  } catch (error) {
    // Another process may have made it at the same moment.
    if (!(await isFolder(path))) throw error;
  }
}

/**
 * Makes a folder that only its owner can enter; one that is there is closed to others. Faults `DATA_DIR_UNWRITABLE`, and
 * `DATA_DIR_EXPOSED` where the file system or its owner keeps it open.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  try {
    await makeFolder(path);
    await access(path, constants.W_OK);
  } catch (cause) {
    throw new Fault('DATA_DIR_UNWRITABLE', { because: path }, { cause });
  }
  // Windows has no such modes.
  if (process.platform === 'win32' || !(await isOpenToOthers(path))) return;
  await chmod(path, 0o700).catch(() => undefined);
  if (await isOpenToOthers(path)) throw new Fault('DATA_DIR_EXPOSED', { because: path });
}

async function isOpenToOthers(path: string): Promise<boolean> {
  return ((await stat(path)).mode & 0o077) !== 0;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
