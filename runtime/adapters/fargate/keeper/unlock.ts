import { chmod, constants, type FileHandle, open } from 'node:fs/promises';

/** Linux: a handle on the name itself; it follows no link, waits for no fifo and reads nothing. */
const byName = 0o10000000 | constants.O_NOFOLLOW;

/**
 * Lets others read the file at a path beneath an open directory, and go through the folders on its way, as far as they
 * are this user's. Follows no link; what it cannot open stays as it is, for whoever reads to say so.
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
