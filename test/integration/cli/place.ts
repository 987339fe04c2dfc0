import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runCommand, runCommandHere } from '../../tools/command.ts';

type Env = Readonly<Record<string, string>>;

export type Place = AsyncDisposable & {
  readonly dir: string;
  /** A server that starts: a scripted model, a small bundle, no sandbox, a data directory of its own. */
  readonly env: Env;
  /** Writes files below the place and returns the full name of the first. */
  write(files: Readonly<Record<string, string>>): Promise<string>;
  /** The program in this process: its code, and what it prints. */
  run(args: readonly string[], env?: Env): ReturnType<typeof runCommand>;
  /** The same as a process of its own, also as another user. */
  runApart(args: readonly string[], env?: Env, uid?: number): ReturnType<typeof runCommand>;
};

export const smallBundle = (id: string, agent = '') => `
  import { defineAgent, defineBundle } from 'timeloom/sdk';
  export const bundle = defineBundle({
    id: '${id}', version: '1', agents: [defineAgent({ id: 'main', instruction: 'Answer.', ${agent} })],
  });
`;

export async function openPlace(): Promise<Place> {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-cli-'));
  // A process of another user must get in.
  await chmod(dir, 0o755);
  const write: Place['write'] = async (files) => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, name)), { recursive: true });
      await writeFile(join(dir, name), text, { mode: 0o644 });
    }
    return join(dir, Object.keys(files)[0] ?? '');
  };
  await write({
    'config/.keep': '',
    'bundle/bundle.ts': smallBundle('desk'),
    'script.yaml': 'plays: per_conversation\nreplies:\n  - answer: Hello.\n',
  });
  const env = {
    TIMELOOM_CONFIG_DIR: join(dir, 'config'),
    TIMELOOM_DATA_DIR: join(dir, 'data'),
    TIMELOOM_BUNDLES: join(dir, 'bundle'),
    TIMELOOM_MODEL: `scripted:${join(dir, 'script.yaml')}`,
    TIMELOOM_EXEC_MODE: 'off',
    TIMELOOM_PORT: '0',
  };
  return {
    ...{ dir, env, write },
    run: (args, more = {}) => runCommandHere(args, { ...env, ...more }),
    runApart: (args, more = {}, uid) =>
      runCommand(args, { env: { ...env, ...more }, ...(uid === undefined ? {} : { uid }) }),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

/** Processes of this system that were started with something of that folder in their environment. */
export async function processesOf(dir: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      // A process may end while it is looked at, and others are not ours to look at.
      const own = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return own.includes(dir) ? [pid] : [];
    }),
  );
  return found.flat();
}
