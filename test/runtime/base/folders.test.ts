import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolder } from '../../../runtime/base/folders.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'folders-'));
});
afterEach(() => rm(dir, { recursive: true }));

test('a folder is created with its parents, by several callers at the same time', async () => {
  const path = join(dir, 'a', 'b', 'c');
  await Promise.all([makeFolder(path), makeFolder(path), makeFolder(join(dir, 'a', 'd'))]);
  expect((await stat(path)).isDirectory()).toBe(true);
  expect((await stat(join(dir, 'a', 'd'))).isDirectory()).toBe(true);
  await makeFolder(path);
});

test('a file in the way is an error', async () => {
  await writeFile(join(dir, 'file'), '');
  await expect(makeFolder(join(dir, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeFolder(join(dir, 'file', 'data'))).rejects.toMatchObject({ code: 'EEXIST' });
});

// proves: bad.data-dir
test('a path that cannot contain folders is an error, also if it reports that it does not exist', async () => {
  await expect(makeFolder('/proc/timeloom/data')).rejects.toThrow(/mkdir/);
});
