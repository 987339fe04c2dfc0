import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, mkdtemp, open, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Scope } from '../../runtime/base/scope.ts';
import { fileBeneath } from '../../supervisor/files/output-walk.ts';

// proves: i6.own-files-only, i6.attacked

const scope = new Scope();
let root: string;
const secret = 'the secret of somebody else';
const tries = 1_500;

/** Somebody swaps a folder and a file for links to a secret and back, as fast as can be. */
const swapper = `import os, sys
root = sys.argv[1]
os.chdir(root)
print("on", flush=True)
pairs = [("d/a.txt", "link.txt"), ("d", "link")]
libc = __import__("ctypes").CDLL(None)
while True:
    for one, other in pairs:
        libc.renameat2(-100, one.encode(), -100, other.encode(), 2)
        libc.renameat2(-100, one.encode(), -100, other.encode(), 2)
`;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'timeloom-swap-'));
  scope.defer(() => rm(root, { recursive: true }));
  await mkdir(join(root, 'd'));
  await mkdir(join(root, 'elsewhere'));
  await writeFile(join(root, 'd/a.txt'), 'mine');
  await writeFile(join(root, 'elsewhere/a.txt'), secret);
  await symlink('elsewhere/a.txt', join(root, 'link.txt'));
  await symlink('elsewhere', join(root, 'link'));
  const child = spawn('/usr/bin/python3', ['-c', swapper, root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  scope.defer(async () => {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  });
  await once(child.stdout, 'data');
});
afterAll(() => scope[Symbol.asyncDispose]());

test('who looks first and opens later reads what was put there meanwhile', async () => {
  let stolen = 0;
  for (let n = 0; n < tries * 4 && stolen === 0; n += 1) {
    const path = join(root, 'd/a.txt');
    try {
      const checked = (await lstat(join(root, 'd'))).isDirectory() && (await lstat(path)).isFile();
      if (checked && (await readFile(path, 'utf8')) === secret) stolen += 1;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }
  expect(stolen).toBeGreaterThan(0);
});

test('what is collected is what was checked, however fast it is swapped', async () => {
  const uid = process.getuid?.() ?? 0;
  await using folder = await open(root);
  const seen = new Set<string>();
  for (let n = 0; n < tries; n += 1) {
    const put = async (_: unknown, bytes: AsyncIterable<Uint8Array>) => {
      const parts: Uint8Array[] = [];
      for await (const part of bytes) parts.push(part);
      seen.add(Buffer.concat(parts).toString());
      return { hash: '', size: 0 };
    };
    const found = await fileBeneath(folder, 'd/a.txt', {
      uid,
      keep: { keeps: () => false, put },
      bytesMax: 1_000,
    });
    seen.add(found.kind === 'refused' ? found.code : found.kind);
  }
  expect([...seen]).toEqual(expect.arrayContaining(['mine', 'file', 'artifact_symlink_blocked']));
  expect(seen.has(secret)).toBe(false);
});
