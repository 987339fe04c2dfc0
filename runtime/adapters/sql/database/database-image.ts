import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
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

/** In a thread: its garbage of 50 MiB goes with it, while that of the server would stay until it has more to do. */
async function unpack(image: string, folder: string): Promise<void> {
  const tar = createRequire(import.meta.url).resolve('tar-stream');
  await once(new Worker(unpackWorker, { eval: true, workerData: { tar, image, folder } }), 'exit');
}

/** CommonJS text, because a thread cannot load TypeScript. A failure is the error of the thread. */
const unpackWorker = `
'use strict';
const { closeSync, createReadStream, mkdirSync, openSync, writeSync } = require('node:fs');
const { join } = require('node:path');
const { pipeline } = require('node:stream/promises');
const { workerData } = require('node:worker_threads');
const { createGunzip } = require('node:zlib');
const { extract } = require(workerData.tar);

// Nothing else runs in this thread, and a stream for each of the files costs more than the files.
async function write(path, pieces) {
  const file = openSync(path, 'w', 0o600);
  try {
    for await (const piece of pieces) writeAll(file, piece);
  } finally {
    closeSync(file);
  }
}

function writeAll(file, bytes) {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}

async function unpack({ image, folder }) {
  const entries = extract();
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  const read = pipeline(createReadStream(image), gunzip, entries);
  for await (const entry of entries) {
    const path = join(folder, entry.header.name);
    if (entry.header.type === 'directory') mkdirSync(path, { recursive: true, mode: 0o700 });
    else await write(path, entry);
    entry.resume();
  }
  await read;
}

void unpack(workerData);
`;
