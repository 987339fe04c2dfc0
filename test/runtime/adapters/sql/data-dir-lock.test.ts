import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  lockClockMs,
  lockDataDir,
} from '../../../../runtime/adapters/sql/database/data-dir-lock.ts';

let root: string;
let dir: string;
let tests = 0;
const held = { code: 'DATA_DIR_HELD' };

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'timeloom-lock-'));
});
afterAll(async () => {
  await rm(root, { recursive: true });
});
beforeEach(() => {
  tests += 1;
  dir = join(root, `${tests}`);
});

test('a directory is held by one until it is let go, and nothing is left behind', async () => {
  const first = await lockDataDir(dir);
  await expect(lockDataDir(dir)).rejects.toMatchObject(held);
  await first[Symbol.asyncDispose]();
  const second = await lockDataDir(dir);
  await second[Symbol.asyncDispose]();
  expect(await readdir(dir)).toEqual([]);
});

test('the lock of a dead process is taken over', async () => {
  const child = spawn(process.execPath, ['-e', '0']);
  await once(child, 'exit');
  await leaveLock({ pid: child.pid ?? 0 });
  await using _lock = await lockDataDir(dir);
});

test('a process that got the pid of a dead one is not taken for it', async () => {
  await leaveLock({ started: '1' });
  await using _lock = await lockDataDir(dir);
});

test('of those who find a dead lock at once, one takes it', async () => {
  await leaveLock({ started: '1' });
  const takers = Array.from({ length: 8 }, () => lockDataDir(dir));
  const taken = await Promise.allSettled(takers);
  const locks = taken.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  expect(locks).toHaveLength(1);
  await locks[0]?.[Symbol.asyncDispose]();
});

test('a holder out of sight is dead when it falls silent', async () => {
  await leaveLock({ world: 'another container' });
  await using _lock = await lockDataDir(dir, { silenceMs: 60 });
});

test('a holder out of sight is alive while it touches its lock', async () => {
  await leaveLock({ world: 'another container' });
  const path = join(dir, 'lock');
  const beat = setInterval(() => void utimes(path, new Date(), new Date()), 10);
  await expect(lockDataDir(dir, { silenceMs: 5_000 })).rejects.toMatchObject(held);
  clearInterval(beat);
});

test('a lock that does not read counts as long as it is fresh', async () => {
  await leaveLock({});
  await writeFile(join(dir, 'lock'), '{"pid":');
  await utimes(join(dir, 'lock'), 0, 0);
  await using _lock = await lockDataDir(dir);
});

test('a directory that cannot be made says so', async () => {
  await writeFile(join(root, 'file'), '');
  await expect(lockDataDir(join(root, 'file', 'data'))).rejects.toMatchObject({
    code: 'DATA_DIR_UNWRITABLE',
  });
});

// proves: storage.paused-holder
test('a holder verifies its lock after a pause, and goes on if nobody has taken it over', async () => {
  await using lock = await lockDataDir(dir, { silenceMs: 0 });
  expect(lock.untilMs).toBeLessThanOrEqual(lockClockMs());
  await lock.renew();
  expect(await readdir(dir)).toEqual(['lock']);
});

// proves: storage.paused-holder
test.each([0, 60_000])(
  'a holder learns that another process has the directory (%d ms)',
  async (silenceMs) => {
    await using lock = await lockDataDir(dir, { silenceMs });
    const lost: string[] = [];
    lock.onLost(({ code }) => lost.push(code));
    const path = join(dir, 'lock');
    const other = JSON.stringify({ pid: 1, started: '1', world: 'another container' });
    await writeFile(path, other);
    await expect(lock.renew()).rejects.toMatchObject(held);
    await expect(lock.renew()).rejects.toMatchObject(held);
    expect(lost).toEqual(['DATA_DIR_HELD']);
    await lock[Symbol.asyncDispose]();
    expect(await readFile(path, 'utf8')).toBe(other);
  },
);

// proves: storage.private-data
test('a directory that is open to others is closed when it is taken', async () => {
  await mkdir(dir, { mode: 0o755 });
  await using _lock = await lockDataDir(dir);
  expect((await stat(dir)).mode & 0o777).toBe(0o700);
});

/** The lock of this process, changed, as if somebody had died with it. */
async function leaveLock(over: object): Promise<void> {
  const lock = await lockDataDir(dir);
  const text = await readFile(join(dir, 'lock'), 'utf8');
  await lock[Symbol.asyncDispose]();
  await writeFile(join(dir, 'lock'), JSON.stringify({ ...JSON.parse(text), ...over }));
}
