import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';

const folder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const fresh = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Writes a file beneath a folder that a program could write, one name at a time and without following links: an earlier
 * program may have left a link where a folder should be.
 */
export async function writeBeneath(root: string, path: string, bytes: Uint8Array): Promise<void> {
  const names = path.split('/');
  const name = names.pop() ?? '';
  const handles: FileHandle[] = [await open(root, folder)];
  try {
    for (const each of names) handles.push(await folderIn(handles.at(-1), each));
    const at = `/proc/self/fd/${handles.at(-1)?.fd}/${name}`;
    await unlink(at).catch((error: unknown) => {
      if (!isCode(error, 'ENOENT')) throw error;
    });
    await using file = await open(at, fresh, 0o644);
    await file.writeFile(bytes);
  } finally {
    await Promise.all(handles.map((handle) => handle.close()));
  }
}

async function folderIn(parent: FileHandle | undefined, name: string): Promise<FileHandle> {
  const at = `/proc/self/fd/${parent?.fd}/${name}`;
  await mkdir(at).catch((error: unknown) => {
    if (!isCode(error, 'EEXIST')) throw error;
  });
  return open(at, folder);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
