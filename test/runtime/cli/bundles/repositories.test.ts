import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLog } from '../../../../runtime/base/log.ts';
import { Scope } from '../../../../runtime/base/scope.ts';
import {
  loadConfiguredBundles,
  openBundles,
} from '../../../../runtime/cli/bundles/open-bundles.ts';
import { readConfig } from '../../../../runtime/cli/config/config.ts';
import { Models } from '../../../../runtime/cli/models/models.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';
import { controlTools } from '../../../../runtime/tools/react/control-tools.ts';
import { openFolder } from '../../sdk/kit.ts';

const bundle = (knowledge: string) => `
  import { defineAgent, defineBundle, defineKnowledge } from 'timeloom/sdk';
  export const bundle = defineBundle({ id: 'desk', version: '1',
    agents: [defineAgent({ id: 'main', instruction: 'Help.' })],
    knowledge: defineKnowledge({ ${knowledge}, roots: { docs: 'handbook' } }) });
`;

function git(cwd: string, ...args: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', HOME: cwd };
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  return execFileSync('git', [...who, ...args], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
}

async function commitPage(work: string, text: string): Promise<string> {
  await mkdir(join(work, 'handbook'), { recursive: true });
  await writeFile(join(work, 'handbook/leave.md'), text);
  git(work, 'add', '--all');
  git(work, 'commit', '--quiet', '--message=page');
  return git(work, 'rev-parse', 'HEAD');
}

/** What the page of the bundle's knowledge says, and what the load reported. */
async function openKnowledge(dir: string, knowledge: string) {
  await writeFile(join(dir, 'bundles/desk/bundle.ts'), bundle(knowledge));
  await using scope = new Scope();
  const warned: string[] = [];
  const note = (message: string, facts: object = {}) =>
    void warned.push(`${message} ${JSON.stringify(facts)}`);
  const log = { ...silentLog, warn: note, with: () => log };
  const config = readConfig({
    ...{ TIMELOOM_CONFIG_DIR: dir, TIMELOOM_DATA_DIR: join(dir, 'data') },
    TIMELOOM_BUNDLES: join(dir, 'bundles'),
  });
  const options = { log, signal: AbortSignal.timeout(60_000) };
  const [opened] = await openBundles(config, {
    ...{ ...options, scope, models: new Models(config) },
    configured: await loadConfiguredBundles(config, options),
    storage: createMemoryStorage(() => 0),
    platform: { tools: controlTools, absent: [] },
  });
  const [agent] = opened.agents;
  const page = await agent.knowledge?.read('docs/leave.md', options);
  return { text: page?.body, warned: warned.join('\n') };
}

// proves: knowledge.repository
test('knowledge comes from a repository, at the commit that is named, and from the last copy without a network', async () => {
  await using folder = await openFolder({ 'bundles/desk/bundle.ts': '', 'work/.keep': '' });
  const { dir } = folder;
  const work = join(dir, 'work');
  git(work, 'init', '--quiet', '--initial-branch=main');
  const first = await commitPage(work, '# Leave\n\nThirty days.\n');
  git(work, 'tag', 'v1');
  await commitPage(work, '# Leave\n\nThirty-one days.\n');
  const repo = `repo: 'file://${work}'`;
  expect((await openKnowledge(dir, repo)).text).toContain('Thirty-one days.');
  const pinned = `${repo}, ref: 'v1', commit: '${first}'`;
  expect((await openKnowledge(dir, pinned)).text).toContain('Thirty days.');
  const moved = await openKnowledge(dir, `${repo}, ref: 'main', commit: '${first}'`);
  expect(moved.text).toBeUndefined();
  expect(moved.warned).toContain(`not ${first}`);
  await rename(work, join(dir, 'gone'));
  expect((await openKnowledge(dir, repo)).text).toContain('Thirty-one days.');
  const none = await openKnowledge(dir, `repo: 'file://${dir}/none'`);
  expect(none.warned).toContain('SOURCE_UNREACHABLE');
});

// proves: knowledge.signed
test('knowledge with signers comes only from a tag that one of them has signed', async () => {
  await using folder = await openFolder({ 'bundles/desk/bundle.ts': '', 'work/.keep': '' });
  const { dir } = folder;
  const [work, key] = [join(dir, 'work'), join(dir, 'key')];
  git(work, 'init', '--quiet', '--initial-branch=main');
  await commitPage(work, '# Leave\n\nThirty days.\n');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  const ssh = ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${key}`];
  git(work, ...ssh, 'tag', '--sign', '--message=signed', 'v1');
  git(work, 'tag', 'v2');
  const keys = `ada@example.com ${await readFile(`${key}.pub`, 'utf8')}`;
  await writeFile(join(dir, 'bundles/desk/keys'), keys);
  const read = (ref: string, signers: string) =>
    openKnowledge(dir, `repo: 'file://${work}', ref: '${ref}', signers: '${signers}'`);
  expect((await read('v1', 'keys')).text).toContain('Thirty days.');
  for (const other of [await read('v2', 'keys'), await read('v1', 'missing')]) {
    expect(other.text).toBeUndefined();
    expect(other.warned).toContain('SOURCE_REFUSED');
  }
  await expect(read('v1', '../keys')).rejects.toThrow('a file of the bundle');
});

// proves: knowledge.repository
test('what is not the address of a repository stops the load', async () => {
  await using folder = await openFolder({ 'bundles/desk/bundle.ts': '' });
  const load = (knowledge: string) => openKnowledge(folder.dir, knowledge);
  await expect(load("repo: 'ext::sh -c true'")).rejects.toThrow('not the address of a git');
  await expect(load("repo: 'https://a.example/b', ref: '--upload-pack=x'")).rejects.toThrow(
    'ref of',
  );
  await expect(load("repo: '', ref: 'v1'")).rejects.toThrow('require a repository');
});
