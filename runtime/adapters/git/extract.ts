import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { extract, type Header } from 'tar-stream';
import { sourceBytesMax, sourceFilesMax } from './limits.ts';
import { GitError } from './run-git.ts';

/**
 * Writes the regular files of an archive below `folder`. Throws GitError for a link, for a path that leads elsewhere, and
 * beyond `sourceFilesMax` or `sourceBytesMax`.
 */
export async function extractFiles(archive: string, folder: string): Promise<void> {
  const entries = extract();
  const read = pipeline(createReadStream(archive), entries);
  const written = writeAll(entries, folder);
  // Whichever fails first is the reason; the other one fails because of it.
  await Promise.race([written, read.then(() => written)]);
  await read;
}

async function writeAll(entries: ReturnType<typeof extract>, folder: string): Promise<void> {
  let [files, bytes] = [0, 0];
  for await (const entry of entries) {
    const { size = 0 } = entry.header;
    if (entry.header.type === 'directory') {
      entry.resume();
      continue;
    }
    const path = safePath(entry.header);
    files += 1;
    bytes += size;
    if (files > sourceFilesMax) throw new GitError(`more than ${sourceFilesMax} files`);
    if (bytes > sourceBytesMax) throw new GitError(`more than ${sourceBytesMax} bytes`);
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await pipeline(entry, createWriteStream(join(folder, path)));
  }
}

function safePath({ name, type }: Header): string {
  if (type !== 'file') {
    throw new GitError(`${name} is a ${type}; use only files and folders`);
  }
  const path = normalize(name);
  if (path.startsWith(sep) || path.split(sep).includes('..')) {
    throw new GitError(`${name} leads out of the folder`);
  }
  return path;
}
