import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { bundleBytesMax, bundleFilesMax } from './limits.ts';

const revisionChars = 12;

/** The revision of a bundle: a hash of its files, without packages and hidden files. */
export async function revisionOf(dir: string): Promise<string> {
  const hash = createHash('sha256');
  let bytes = 0;
  const files = await filesOf(dir);
  if (files.length > bundleFilesMax) throw tooLarge(dir, `more than ${bundleFilesMax} files`);
  for (const file of files.toSorted()) {
    bytes += (await stat(file)).size;
    if (bytes > bundleBytesMax) throw tooLarge(dir, `more than ${bundleBytesMax} bytes`);
    hash
      .update(`${relative(dir, file)}\0`)
      .update(await readFile(file))
      .update('\0');
  }
  return hash.digest('hex').slice(0, revisionChars);
}

async function filesOf(dir: string): Promise<readonly string[]> {
  const items = await readdir(dir, { withFileTypes: true });
  const own = items.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
  const toPath = (item: Dirent) => join(dir, item.name);
  const below = await Promise.all(
    own
      .filter((item) => item.isDirectory())
      .map(toPath)
      .map(filesOf),
  );
  return [...own.filter((item) => item.isFile()).map(toPath), ...below.flat()];
}

function tooLarge(dir: string, what: string): Fault {
  return new Fault('BUNDLE_INVALID', { dir, because: `${dir} holds ${what}` });
}
