import { access, chmod, constants, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault } from './fault.ts';

/**
 * Creates a folder and its missing parents; an existing folder stays as it is. Node's own `recursive` option never
 * returns for a path that exists but reports that it does not, as in `/proc`.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) await makeFolder(above);
  try {
    await mkdir(path);
  } catch (error) {
    // Another process may have created it at the same moment.
    if (!(await isFolder(path))) throw error;
  }
}

/**
 * Creates a folder that only its owner can access; an existing folder loses access for others. Faults:
 * `DATA_DIR_UNWRITABLE`, and `DATA_DIR_EXPOSED` if the file system or the owner of the folder prevents that.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  try {
    await makeFolder(path);
    await access(path, constants.W_OK);
  } catch (cause) {
    throw new Fault('DATA_DIR_UNWRITABLE', { because: path }, { cause });
  }
  // Windows has no file modes.
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
