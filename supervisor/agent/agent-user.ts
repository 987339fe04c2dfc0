import { chmod, lchown, lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes the files that describe the user of an agent program; programs look it up, and fail without one. Returns their folder. */
export async function describeUser(folder: string, uid: number): Promise<string> {
  const etc = join(folder, 'etc');
  await mkdir(etc, { recursive: true });
  await chmod(etc, 0o755);
  const files = {
    passwd: `agent:x:${uid}:${uid}:agent:/home/agent:/bin/bash\n`,
    group: `agent:x:${uid}:\n`,
    hosts: '127.0.0.1 localhost workspace\n::1 localhost\n',
  };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(etc, name), text);
    await chmod(join(etc, name), 0o644);
  }
  return etc;
}

/**
 * Gives folders to a user, links themselves included, never what they point to. No program may run in them: each start of a
 * program has a user of its own.
 */
export async function ownedBy(uid: number, folders: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) return;
  for (const folder of folders) await own(folder, uid);
}

async function own(path: string, uid: number): Promise<void> {
  const found = await lstat(path);
  if (found.uid !== uid || found.gid !== uid) await lchown(path, uid, uid);
  if (!found.isDirectory()) return;
  for (const name of await readdir(path)) await own(join(path, name), uid);
}
