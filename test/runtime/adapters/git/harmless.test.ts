import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fetchFolder } from '../../../../runtime/adapters/git/fetch-folder.ts';
import { runGit } from '../../../../runtime/adapters/git/run-git.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { Scope } from '../../../../runtime/base/scope.ts';
import {
  type Env,
  git,
  type Machine,
  openHostileMachine,
  plantConfig,
  plantHooks,
  plantProgram,
} from './hostile-machine.ts';

const { signal } = new AbortController();

let scope: Scope;
let machine: Machine;
beforeEach(async () => {
  scope = new Scope();
  machine = scope.own(await openHostileMachine());
});
afterEach(() => scope[Symbol.asyncDispose]());

async function read(env: Env, url = machine.url): Promise<string> {
  const place = { cacheDir: machine.at('started'), access: { env }, log: silentLog, signal };
  const { folder } = await fetchFolder({ url, ref: 'main' }, place);
  return await readFile(join(folder, 'bundle.ts'), 'utf8');
}

const hooks = ['post-checkout', 'post-index-change', 'reference-transaction'];
const all = ['packer', ...hooks, 'smudge'];

type Plant = (machine: Machine, env: Record<string, string>) => Promise<void>;
const places: readonly (readonly [string, readonly string[], Plant])[] = [
  ['the configuration of the machine', all, (to) => plantConfig(to, to.at('system'))],
  ['the configuration of the user', all, (to) => plantConfig(to, to.at('home/.gitconfig'))],
  ['the folder of configuration', all, (to) => plantConfig(to, to.at('home/.config/git/config'))],
  [
    'the environment',
    ['smudge'],
    async (to, env) => {
      env['GIT_CONFIG_COUNT'] = '1';
      env['GIT_CONFIG_KEY_0'] = 'filter.planted.smudge';
      env['GIT_CONFIG_VALUE_0'] = await plantProgram(to, 'smudge');
    },
  ],
  [
    'a configuration that the environment names',
    all,
    async (to, env) => {
      env['GIT_CONFIG_GLOBAL'] = to.at('named');
      await plantConfig(to, to.at('named'));
    },
  ],
  [
    'the template of the machine',
    [...hooks, 'smudge'],
    async (to) => {
      await mkdir(to.at('template'));
      await plantConfig(to, to.at('template/config'));
    },
  ],
  [
    'a template that the environment names',
    hooks,
    async (to, env) => {
      env['GIT_TEMPLATE_DIR'] = to.at('other');
      await plantHooks(to, to.at('other/hooks'));
    },
  ],
  [
    'a template that the user names',
    hooks,
    async (to) => {
      await plantHooks(to, to.at('other/hooks'));
      git('config', '--file', to.at('home/.gitconfig'), 'init.templateDir', to.at('other'));
    },
  ],
];

// proves: sources.harmless
test.each(places)('no program of %s runs when a repository is read', async (_, programs, plant) => {
  const env = { ...machine.env };
  await plant(machine, env);
  expect(await read(env)).toBe('one');
  expect(await machine.ran()).toEqual([]);
  // They run when it is cloned as usual.
  machine.ask(env, 'clone', '--quiet', `file://${machine.url}`, machine.at('copy'));
  expect(await machine.ran()).toEqual(expect.arrayContaining([...programs]));
});

// proves: sources.harmless
test('no hook in the folder of copies, where the server was started, runs when the next commit is read', async () => {
  const { at, env, ran, url } = machine;
  const cache = at('started');
  expect(await read(env)).toBe('one');
  const folders = [cache, ...(await readdir(cache)).map((name) => join(cache, name))];
  for (const folder of folders) {
    git('init', '--quiet', '--template=', folder);
    for (const place of ['.git/hooks', 'hooks']) await plantHooks(machine, join(folder, place));
    await plantConfig(machine, join(folder, '.git/config'));
  }
  git('-C', url, 'tag', 'one');
  await writeFile(at('work/bundle.ts'), 'two');
  git('-C', url, 'commit', '--quiet', '--all', '--message=two');
  expect(await read(env)).toBe('two');
  expect(await ran()).toEqual([]);
  for (const ref of ['one', 'main']) machine.ask(env, '-C', cache, 'pull', '--quiet', url, ref);
  expect(await ran()).toEqual(expect.arrayContaining(['fsmonitor', 'post-merge', 'smudge']));
});

// proves: sources.harmless
test('the repository that the server was started in does not change which one is read', async () => {
  const { at, env, url, ask } = machine;
  git('init', '--quiet', '--template=', at('started'));
  git('-C', at('started'), 'config', 'url.file:///nowhere.insteadOf', url);
  expect(() => ask(env, 'ls-remote', url, 'main')).toThrow('/nowhere');
  expect(await read(env)).toBe('one');
});

// proves: sources.harmless
test('attributes of the user do not change what is read', async () => {
  await writeFile(machine.at('home/.config/git/attributes'), 'bundle.ts export-ignore\n');
  const archive = machine.ask(machine.env, '-C', machine.url, 'archive', 'main');
  expect(archive).not.toContain('bundle.ts');
  expect(await read(machine.env)).toBe('one');
});

// proves: sources.harmless
test('a git command runs no hook or monitor of the repository that it works in', async () => {
  const { at, env, ran, url } = machine;
  const work = (...args: readonly string[]) =>
    runGit(['-C', url, ...args], { signal, access: { env } });
  await plantHooks(machine, at('work/.git/hooks'));
  git('-C', url, 'config', 'core.fsmonitor', await plantProgram(machine, 'fsmonitor'));
  await work('checkout', '--quiet', '-b', 'other');
  await work('merge', '--quiet', 'main');
  await work('status');
  expect(await ran()).toEqual([]);
  machine.ask(env, '-C', url, 'checkout', '--quiet', 'main');
  expect(await ran()).toEqual(expect.arrayContaining(['fsmonitor', 'post-checkout']));
});
