import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { vector } from '@electric-sql/pglite-pgvector';
import { openPgliteTimelineStore } from '../../dist/runtime/adapters/sql/open.js';
import { root } from '../steps.mjs';

/** Creates an embedded database with the current schema once, so that the first start of a server only unpacks it. */
const folder = mkdtempSync(join(tmpdir(), 'timeloom-database-'));
try {
  const store = await openPgliteTimelineStore({ dir: folder, image: undefined });
  await store[Symbol.asyncDispose]();
  const dataDir = join(folder, 'postgres');
  const database = await PGlite.create({ dataDir, extensions: { pg_trgm, vector } });
  await dropTemplates(database);
  const files = await database.dumpDataDir('gzip');
  await database.close();
  const image = join(root, 'dist/embedded-database.tar.gz');
  writeFileSync(image, Buffer.from(await files.arrayBuffer()));
} finally {
  rmSync(folder, { recursive: true });
}

/** Only `create database` needs them, and they are more than half of the files that a first start unpacks. */
async function dropTemplates(database) {
  await database.exec('update pg_database set datistemplate = false');
  for (const name of ['template0', 'template1']) await database.exec(`drop database ${name}`);
}
