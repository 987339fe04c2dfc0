import { lstat, readlink } from 'node:fs/promises';

/** Without these, libraries below /usr do not find their parts, or print warnings into the program's output. */
const settings = [
  ...['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime', '/etc/mime.types'],
  ...['/etc/matplotlibrc', '/etc/fonts'],
];

/** Beside /usr. */
export const systemLinks = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/**
 * Arguments of bwrap that show libraries and interpreters. `/lib` and similar paths are links into /usr or separate
 * directories.
 */
export async function systemArgv(): Promise<readonly string[]> {
  const argv = ['--ro-bind', '/usr', '/usr'];
  for (const path of systemLinks) {
    const found = await lstat(path).catch(() => undefined);
    if (found?.isSymbolicLink()) argv.push('--symlink', await readlink(path), path);
    else if (found?.isDirectory()) argv.push('--ro-bind', path, path);
  }
  return [...argv, ...settings.flatMap((path) => ['--ro-bind-try', path, path])];
}
