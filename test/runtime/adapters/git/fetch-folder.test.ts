import { execFileSync } from 'node:child_process';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fetchFolder, type GitFolder } from '../../../../runtime/adapters/git/fetch-folder.ts';
import { silentLog } from '../../../../runtime/base/log.ts';

let dir = '';
let work = '';
let bare = '';
let key = '';
const { signal } = new AbortController();

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'timeloom-git-'));
  work = join(dir, 'work');
  bare = join(dir, 'bare.git');
  key = join(dir, 'key');
  await mkdir(join(work, 'bundles/desk'), { recursive: true });
  git('init', '--quiet', '--initial-branch=main');
  await commit('one');
  git('tag', 'v1');
  execFileSync('git', ['clone', '--quiet', '--bare', work, bare]);
  git('remote', 'add', 'origin', bare);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

function git(...args: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', HOME: dir };
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  const sign = ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${key}`];
  const options = { cwd: work, env, encoding: 'utf8' } as const;
  return execFileSync('git', [...who, ...sign, ...args], { ...options, stdio: 'pipe' }).trim();
}

async function commit(text: string): Promise<string> {
  await writeFile(join(work, 'bundles/desk/bundle.ts'), text);
  git('add', '--all');
  git('commit', '--quiet', `--message=${text}`);
  return git('rev-parse', 'HEAD');
}

function push(...refs: readonly string[]): void {
  git('push', '--quiet', '--force', 'origin', ...refs);
}

async function read(source: Partial<GitFolder>): Promise<string> {
  const place = {
    cacheDir: join(dir, 'cache'),
    access: { env: process.env },
    log: silentLog,
    signal,
  };
  const { folder } = await fetchFolder({ url: bare, subdir: 'bundles/desk', ...source }, place);
  return await readFile(join(folder, 'bundle.ts'), 'utf8');
}

// proves: sources.git
test('a tag, a branch, a commit or the default branch of a repository becomes a folder', async () => {
  const second = await commit('two');
  push('main');
  expect(await read({ ref: 'v1' })).toBe('one');
  expect(await read({ ref: 'main' })).toBe('two');
  expect(await read({ ref: second })).toBe('two');
  expect(await read({})).toBe('two');
  await commit('three');
  push('main');
  expect(await read({ ref: 'main' })).toBe('three');
});

// proves: sources.offline
test('without the server, the last copy of a ref is used, and a commit needs no server at all', async () => {
  expect(await read({ ref: 'main' })).toBe('one');
  const first = git('rev-parse', 'HEAD');
  await rename(bare, `${bare}.away`);
  expect(await read({ ref: 'main' })).toBe('one');
  expect(await read({ ref: first })).toBe('one');
  await expect(read({ ref: 'v1' })).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
});

// proves: sources.pinned
test('a tag that was moved is refused if its commit is pinned', async () => {
  const first = git('rev-parse', 'v1');
  expect(await read({ ref: 'v1', commit: first })).toBe('one');
  await commit('two');
  git('tag', '--force', 'v1');
  push('v1');
  await expect(read({ ref: 'v1', commit: first })).rejects.toMatchObject({
    code: 'SOURCE_REFUSED',
  });
});

// proves: sources.signed
test('with signers, only a tag that one of them signed under its own name is used', async () => {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  const signers = join(dir, 'signers');
  await writeFile(signers, `ada@example.com ${await readFile(`${key}.pub`, 'utf8')}`);
  git('tag', '--sign', '--message=two', 'v2');
  push('v2');
  expect(await read({ ref: 'v2', signers })).toBe('one');
  git('tag', '--annotate', '--message=three', 'v3');
  push('v3', 'refs/tags/v2:refs/tags/v4');
  for (const ref of ['v1', 'v3', 'v4', 'main'])
    await expect(read({ ref, signers })).rejects.toMatchObject({ code: 'SOURCE_REFUSED' });
  await writeFile(
    signers,
    `bob@example.com ${'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFJ2d2Q0d2Q0d2Q0d2Q0d2Q0d2Q0d2Q0d2Q0d2Q0d2Q0'}`,
  );
  await expect(read({ ref: 'v2', signers })).rejects.toMatchObject({ code: 'SOURCE_REFUSED' });
});

// proves: sources.harmless
test('no link of a repository leads out of its folder', async () => {
  await symlink('/etc/passwd', join(work, 'bundles/desk/secret.txt'));
  await commit('two');
  push('main');
  await expect(read({ ref: 'main' })).rejects.toThrow('secret.txt is a symlink');
});

test('what a repository does not have is named, and leaves no draft', async () => {
  await expect(read({ ref: 'nowhere' })).rejects.toThrow('has no tag, branch or commit “nowhere”');
  await expect(read({ subdir: 'nowhere' })).rejects.toMatchObject({ code: 'SOURCE_REFUSED' });
  const [home = ''] = await readdir(join(dir, 'cache'));
  const left = await readdir(join(dir, 'cache', home));
  expect(left.filter((name) => name.startsWith('draft'))).toEqual([]);
});

test('only a few old copies are kept', async () => {
  for (const text of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await commit(text);
    push('main');
    expect(await read({ ref: 'main' })).toBe(text);
  }
  const [home = ''] = await readdir(join(dir, 'cache'));
  const copies = (await readdir(join(dir, 'cache', home))).filter((name) => name.length > 40);
  expect(copies).toHaveLength(4);
});
