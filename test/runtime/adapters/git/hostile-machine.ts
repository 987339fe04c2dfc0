import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Env = Readonly<Record<string, string>>;

/** Hooks that a client runs while it fetches, checks out or merges. */
const hooks = ['reference-transaction', 'post-checkout', 'post-merge', 'post-index-change'];

/**
 * A repository whose files ask for a filter, and a machine whose `git` runs programs: `ran` are the names of those that
 * did. That git starts in the folder `started`, and reads the file `system` and the folder `template` if they exist.
 */
export async function openHostileMachine() {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-git-'));
  const at = (...names: readonly string[]) => join(dir, ...names);
  for (const name of ['ran', 'bin', 'home/.config/git', 'started', 'work'])
    await mkdir(at(name), { recursive: true });
  const script = [
    '#!/bin/sh',
    `cd ${at('started')}`,
    `[ -f ${at('system')} ] && export GIT_CONFIG_SYSTEM=${at('system')}`,
    `[ -d ${at('template')} ] && export GIT_TEMPLATE_DIR=${at('template')}`,
    `PATH='${process.env['PATH'] ?? ''}' exec git "$@"`,
  ];
  await writeFile(at('bin/git'), `${script.join('\n')}\n`, { mode: 0o755 });
  await writeFile(at('work/bundle.ts'), 'one');
  await writeFile(at('work/.gitattributes'), '* filter=planted\n');
  const work = ['-C', at('work')];
  git('init', '--quiet', '--template=', '--initial-branch=main', at('work'));
  git(...work, 'add', '--all');
  git(...work, 'commit', '--quiet', '--message=one');
  return {
    at,
    url: at('work'),
    env: { PATH: at('bin'), HOME: at('home') } satisfies Env,
    /** What the git of this machine says. */
    ask: (env: Env, ...args: readonly string[]) => {
      const options = { cwd: dir, env, stdio: 'pipe', encoding: 'utf8' } as const;
      return execFileSync('git', args, options).trim();
    },
    ran: async () => (await readdir(at('ran'))).toSorted(),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

export type Machine = Awaited<ReturnType<typeof openHostileMachine>>;

/** Git without any configuration. */
export function git(...args: readonly string[]): void {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  execFileSync('git', [...who, ...args], { env, stdio: 'pipe' });
}
/** A program that notes that it ran; a packer and a filter also do their work. Returns its path. */
export async function plantProgram({ at }: Machine, name: string, folder = at()): Promise<string> {
  const path = join(folder, name);
  const work = { packer: 'exec "$@"', smudge: 'cat' }[name] ?? 'exit 0';
  const lines = ['#!/bin/sh', `touch ${at('ran', name)}`, work];
  await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o755 });
  return path;
}

export async function plantHooks(machine: Machine, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of hooks) await plantProgram(machine, name, folder);
}

/** A configuration with programs, and with a folder of hooks. */
export async function plantConfig(machine: Machine, file: string): Promise<void> {
  await plantHooks(machine, machine.at('hooks'));
  const settings = {
    'core.hooksPath': machine.at('hooks'),
    'core.fsmonitor': await plantProgram(machine, 'fsmonitor'),
    'filter.planted.smudge': await plantProgram(machine, 'smudge'),
    'uploadpack.packObjectsHook': await plantProgram(machine, 'packer'),
  };
  for (const [key, value] of Object.entries(settings)) git('config', '--file', file, key, value);
}
