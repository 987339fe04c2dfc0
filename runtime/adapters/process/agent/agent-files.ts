import { chmod, lchown, lstat, mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentSeccompFilter } from '../../../../supervisor/seccomp/filter.ts';

/** The descriptor from which bwrap reads the filter. */
export async function openFilter(folder: string) {
  const path = join(folder, 'filter');
  await writeFile(path, agentSeccompFilter(), { mode: 0o600 });
  return open(path, 'r');
}

/** Programs look up their user, and fail without one. */
export async function describeUser(folder: string): Promise<string> {
  const etc = join(folder, 'etc');
  await mkdir(etc);
  await chmod(etc, 0o755);
  const files = {
    passwd: 'agent:x:1000:1000:agent:/home/agent:/bin/bash\n',
    group: 'agent:x:1000:\n',
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
