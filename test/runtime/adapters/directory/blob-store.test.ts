import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDirectoryBlobStore } from '../../../../runtime/adapters/directory/blob-store.ts';
import { blobStoreContract } from '../../../contract/blob-store.ts';

const signal = new AbortController().signal;
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'timeloom-blobs-'));
});
afterAll(async () => {
  await rm(root, { recursive: true });
});

blobStoreContract(
  'a directory',
  async () => await openDirectoryBlobStore(join(root, 'contract')),
  async () => {
    const folder = join(root, 'broken');
    const breakDown = async () => {
      await rm(folder, { recursive: true });
      await writeFile(folder, 'no folder');
    };
    return { store: await openDirectoryBlobStore(folder), breakDown };
  },
);

test('bytes that were changed on disk are corrupt', async () => {
  await using store = await openDirectoryBlobStore(join(root, 'corrupt'));
  const { hash } = await store.put('t', Buffer.from('true'), { signal });
  const digest = createHash('sha256').update('true').digest('hex');
  const folder = createHash('sha256').update('t').digest('hex').slice(0, 32);
  await appendFile(join(root, 'corrupt', folder, digest.slice(0, 2), digest.slice(2)), ' or not');
  await expect(store.get('t', hash, { signal })).rejects.toMatchObject({ code: 'BLOB_CORRUPT' });
});

test('blobs outlive the store, what a crash left half-written does not', async () => {
  const dir = join(root, 'again');
  const first = await openDirectoryBlobStore(dir);
  const { hash } = await first.put('t', Buffer.from('kept'), { signal });
  await writeFile(join(dir, 'incoming', 'torn'), 'half');
  await writeFile(join(dir, 'incoming', 'in-flight'), 'half');
  await utimes(join(dir, 'incoming', 'torn'), 0, 0);
  await using second = await openDirectoryBlobStore(dir);
  expect(await readdir(join(dir, 'incoming'))).toEqual(['in-flight']);
  expect(Buffer.from(await second.get('t', hash, { signal })).toString()).toBe('kept');
});

test('nothing is left behind in passing', async () => {
  const dir = join(root, 'passing');
  await using store = await openDirectoryBlobStore(dir);
  await store.put('t', Buffer.from('one'), { signal });
  await store.put('t', Buffer.from('too large'), { signal, bytesMax: 1 }).catch(() => undefined);
  expect(await readdir(join(dir, 'incoming'))).toEqual([]);
});

test('a directory that cannot be made says so', async () => {
  await writeFile(join(root, 'file'), '');
  await expect(openDirectoryBlobStore(join(root, 'file', 'blobs'))).rejects.toMatchObject({
    code: 'DATA_DIR_UNWRITABLE',
  });
});
