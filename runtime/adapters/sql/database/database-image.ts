import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { packageRoot } from '../../../base/package-root.ts';

/**
 * The files of a new embedded database with the schema of the build, as a gzipped tar: unpacking them takes a fraction
 * of the processor time and memory of creating a database. Undefined: there is no build yet.
 */
export function databaseImage(): string | undefined {
  const file = join(packageRoot(), 'dist/embedded-database.tar.gz');
  return existsSync(file) ? file : undefined;
}

/**
 * Puts the files of a new database into `dir`, unless it has files. They appear all at once: a process that is killed
 * meanwhile leaves a draft beside it, which the next call removes. Only the holder of the data directory may call this.
 */
export async function unpackDatabase(image: string, dir: string): Promise<void> {
  const above = dirname(dir);
  for (const name of await readdir(above)) {
    if (name.startsWith(draftPrefix)) await rm(join(above, name), { recursive: true });
  }
  if (await hasFiles(dir)) return;
  const draft = await mkdtemp(join(above, draftPrefix));
  await unpack(image, draft);
  await rm(dir, { recursive: true, force: true });
  await rename(draft, dir);
}

const draftPrefix = 'new-database-';

async function hasFiles(dir: string): Promise<boolean> {
  return (await readdir(dir).catch(() => [])).length > 0;
}

async function unpack(image: string, folder: string): Promise<void> {
  const entries = extract();
  const read = pipeline(createReadStream(image), createGunzip(), entries);
  for await (const entry of entries) {
    const path = join(folder, entry.header.name);
    if (entry.header.type === 'directory') await mkdir(path, { recursive: true, mode: 0o700 });
    else await pipeline(entry, createWriteStream(path, { mode: 0o600 }));
    entry.resume();
  }
  await read;
}
