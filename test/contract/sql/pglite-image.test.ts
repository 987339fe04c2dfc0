import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { databaseImage } from '../../../runtime/adapters/sql/database/database-image.ts';
import { openPglite } from '../../../runtime/adapters/sql/database/pglite.ts';
import { migrations } from '../../../runtime/adapters/sql/migrations/numbered-migrations.ts';
import { openPgliteTimelineStore } from '../../../runtime/adapters/sql/open.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'timeloom-image-'));
});
afterEach(() => rm(dir, { recursive: true }));

// proves: store.database-image
test('a new embedded database is unpacked from the files of the build, with the newest schema, for its owner alone', async () => {
  {
    await using database = await openPglite({ dir, image: databaseImage() });
    const [row] = await database.query('select max(number) as number from migration', []);
    expect(row).toEqual({ number: migrations.length });
    // Templates would be more than half of the files.
    const names = await database.query('select datname from pg_database', []);
    expect(names).toEqual([{ datname: 'postgres' }]);
  }
  expect((await stat(dir)).mode & 0o077).toBe(0);
  await using store = await openPgliteTimelineStore({ dir });
  expect(store).toBeDefined();
});

// proves: store.database-image
test('without the files of a build the database is created', async () => {
  await using store = await openPgliteTimelineStore({ dir, image: undefined });
  expect(store).toBeDefined();
});

// proves: store.database-image
test('what a killed process left of a new database is removed', async () => {
  const draft = join(dir, 'new-database-abc');
  await mkdir(draft);
  await writeFile(join(draft, 'PG_VERSION'), '17');
  await using store = await openPgliteTimelineStore({ dir });
  expect(store).toBeDefined();
  expect(await readdir(dir)).not.toContain('new-database-abc');
});

// proves: store.database-image
test('damaged files of a build are an error that names what is wrong, and leave no database behind', async () => {
  const image = join(dir, 'damaged.tar.gz');
  await writeFile(image, 'no archive');
  await expect(openPglite({ dir, image })).rejects.toThrow('incorrect header check');
  expect(await readdir(dir)).not.toContain('postgres');
});
