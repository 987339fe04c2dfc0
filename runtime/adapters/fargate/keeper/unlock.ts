import { chmod, constants, type FileHandle, open } from 'node:fs/promises';

/** O_PATH on Linux: a handle on the name itself. It follows no link, does not wait for a fifo and reads nothing. */
const byName = 0o10000000 | constants.O_NOFOLLOW;

/**
 * Makes the file at a path below an open directory readable for other users, and the folders on its way searchable, as
 * far as this user owns them. Follows no link. What it cannot open it leaves unchanged; the reader reports the error.
 */
export async function unlock(root: FileHandle, path: string): Promise<void> {
  const handles: FileHandle[] = [];
  try {
    let at = root;
    for (const name of path.split('/')) {
      at = await open(`/proc/self/fd/${at.fd}/${name}`, byName);
      handles.push(at);
      await makeReadable(at);
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  } finally {
    await Promise.all(handles.map((handle) => handle.close()));
  }
}

async function makeReadable(handle: FileHandle): Promise<void> {
  const found = await handle.stat();
  const wanted = found.isDirectory() ? 0o755 : found.isFile() ? 0o644 : 0;
  const own = found.uid === process.getuid?.();
  if (own && (found.mode & wanted) !== wanted) await chmod(`/proc/self/fd/${handle.fd}`, wanted);
}
