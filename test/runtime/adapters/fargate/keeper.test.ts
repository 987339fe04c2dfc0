import { constants } from 'node:fs';
import {
  link,
  mkdir,
  mkdtemp,
  open,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exceedsQuota } from '../../../../runtime/adapters/fargate/keeper/disk-quota.ts';
import { unlock } from '../../../../runtime/adapters/fargate/keeper/unlock.ts';

// proves: exec.fargate-kept

const uid = process.getuid?.() ?? 0;
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'timeloom-keeper-'));
});
afterEach(() => rm(root, { recursive: true }));

const room = (bytesMax: number, filesMax = 100) => ({ path: root, bytesMax, filesMax });

test('what lies in a place is counted at any depth, bytes and names', async () => {
  await mkdir(join(root, 'a/b/c'), { recursive: true });
  await writeFile(join(root, 'a/b/c/x'), Buffer.alloc(200_000, 1));
  expect(exceedsQuota(room(400_000), uid)).toBe(false);
  expect(exceedsQuota(room(199_999), uid)).toBe(true);
  expect(exceedsQuota(room(400_000, 4), uid)).toBe(false);
  expect(exceedsQuota(room(400_000, 3), uid)).toBe(true);
});

test('a file without bytes on the disk takes none, and what belongs to another is not counted', async () => {
  await writeFile(join(root, 'sparse'), '');
  await truncate(join(root, 'sparse'), 1_000_000_000);
  expect(exceedsQuota(room(100_000), uid)).toBe(false);
  await writeFile(join(root, 'large'), Buffer.alloc(200_000, 1));
  expect(exceedsQuota(room(100_000), uid + 1)).toBe(false);
});

test('a link leads nowhere, and a place that is not there holds nothing', async () => {
  await symlink('/usr', join(root, 'usr'));
  await symlink(root, join(root, 'itself'));
  expect(exceedsQuota(room(100_000, 2), uid)).toBe(false);
  expect(exceedsQuota({ ...room(0, 0), path: join(root, 'none') }, uid)).toBe(false);
});

test('what lies deeper than a path can name is too much', async () => {
  const name = 'd'.repeat(200);
  const deep = (from: string) => join(from, ...Array.from({ length: 15 }, () => name));
  await mkdir(deep(join(root, 'a')), { recursive: true });
  await mkdir(deep(join(root, 'b')), { recursive: true });
  expect(exceedsQuota(room(1_000_000), uid)).toBe(false);
  await rename(join(root, 'b'), join(deep(join(root, 'a')), 'b'));
  expect(exceedsQuota(room(1_000_000), uid)).toBe(true);
  await rename(join(deep(join(root, 'a')), 'b'), join(root, 'b'));
});

async function unlocked(path: string): Promise<void> {
  await using handle = await open(root, constants.O_RDONLY | constants.O_DIRECTORY);
  await unlock(handle, path);
}

const modeOf = async (path: string) => (await stat(join(root, path))).mode & 0o777;

test('what a program has locked is open to others, and only on the way', async () => {
  await mkdir(join(root, 'a'), { mode: 0o700 });
  await writeFile(join(root, 'a/x'), 'x', { mode: 0o600 });
  await writeFile(join(root, 'a/y'), 'y', { mode: 0o600 });
  await unlocked('a/x');
  expect(await Promise.all(['a', 'a/x', 'a/y'].map(modeOf))).toEqual([0o755, 0o644, 0o600]);
});

test('no link is followed, and what is not there changes nothing', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'timeloom-keeper-'));
  await writeFile(join(outside, 'x'), 'x', { mode: 0o600 });
  await symlink(outside, join(root, 'folder'));
  await symlink(join(outside, 'x'), join(root, 'file'));
  for (const path of ['folder/x', 'file', 'none', 'none/x']) await unlocked(path);
  expect((await stat(join(outside, 'x'))).mode & 0o777).toBe(0o600);
  await rm(outside, { recursive: true });
});

test('a file that is open to others stays as it is', async () => {
  await writeFile(join(root, 'x'), 'x', { mode: 0o755 });
  await link(join(root, 'x'), join(root, 'y'));
  await unlocked('y');
  expect(await modeOf('x')).toBe(0o755);
});
