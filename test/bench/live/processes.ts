import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Scope } from '../../../runtime/base/scope.ts';

const root = join(import.meta.dirname, '../../..');
const Ready = z.object({ ready: z.literal(true), url: z.string() });
const State = z.object({ kind: z.literal('state'), open: z.number(), sent: z.number() });
const Closed = z.object({ kind: z.literal('closed'), atMs: z.number() });
/** Clock ticks of /proc per second. */
const ticksPerSecond = 100;

export type LiveServer = {
  readonly name: 'ours' | 'bare';
  readonly url: string;
  /** Processor time of all its threads so far. */
  cpuMs(): number;
  /** Bytes in use after a garbage collection. */
  memoryBytes(): Promise<number>;
};

export type ModelCommand = 'instant' | 'hold' | 'run' | 'finish' | 'state';
export type LiveModel = {
  urlOf(form: 'channels' | 'text'): string;
  tell(command: ModelCommand): Promise<{ readonly open: number; readonly sent: number }>;
  /** When a connection closes while replies are running. */
  closed(): Promise<number>;
};

export async function startModel(scope: Scope): Promise<LiveModel> {
  const file = join(import.meta.dirname, 'model-server.mjs');
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  scope.defer(() => stop(child));
  const { port } = await heard(child, z.object({ port: z.number() }));
  return {
    urlOf: (form) => `http://127.0.0.1:${port}/${form}/v1`,
    tell: async (command) => {
      const answer = heard(child, State);
      child.send(command);
      return answer;
    },
    closed: async () => (await heard(child, Closed)).atMs,
  };
}

/** The next message of that form. */
function heard<T extends z.ZodType>(child: ChildProcess, form: T): Promise<z.output<T>> {
  return new Promise((resolve) => {
    const hear = (message: unknown) => {
      const parsed = form.safeParse(message);
      if (!parsed.success) return;
      child.off('message', hear);
      resolve(parsed.data);
    };
    child.on('message', hear);
  });
}

type Services = {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly model: LiveModel;
  readonly dir: string;
};

/** The whole program, built, as an operator starts it. */
export async function startOurs(services: Services, scope: Scope): Promise<LiveServer> {
  const { databaseUrl, redisUrl, model, dir } = services;
  const bundle = join(dir, 'bundle');
  await mkdir(bundle);
  await writeFile(join(bundle, 'bundle.ts'), bundleSource);
  await writeFile(join(dir, 'gateway.yaml'), gatewaySettings);
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    OPENAI_BASE_URL: model.urlOf('channels'),
    TIMELOOM_MODEL: 'openai-compatible:instant',
    TIMELOOM_DATA_DIR: join(dir, 'data'),
    TIMELOOM_CONFIG_DIR: dir,
    TIMELOOM_BUNDLES: bundle,
    TIMELOOM_EXEC_MODE: 'off',
    TIMELOOM_PORT: '0',
    // One process, as the other side has.
    TIMELOOM_WORKERS: '0',
  };
  const main = join(root, 'dist/runtime/cli/main.js');
  return await startServer('ours', { args: [main, 'serve', '--ready-json'], env }, scope);
}

const gatewaySettings = `admission: { turns_per_worker: 1000 }
rate: { user: { per_minute: 1000000, per_hour: 1000000 } }
`;

const bundleSource = `import { defineAgent, defineBundle, starters } from 'timeloom/sdk';
const agent = defineAgent({ ...starters.balanced, id: 'live', instruction: 'Answer.', protocol: 'channels' });
export const bundle = defineBundle({ id: 'live', version: '1.0.0', title: 'Live', agents: [agent] });
`;

export async function startBare(
  { databaseUrl, model }: Omit<Services, 'dir' | 'redisUrl'>,
  scope: Scope,
): Promise<LiveServer> {
  const env = { DATABASE_URL: databaseUrl, OPENAI_BASE_URL: model.urlOf('text') };
  const args = [join(import.meta.dirname, 'bare-server.mjs')];
  return await startServer('bare', { args, env }, scope);
}

/** `TIMELOOM_BENCH_PROFILE`: a folder for processor profiles of the servers. */
async function startServer(
  name: LiveServer['name'],
  { args, env }: { args: readonly string[]; env: Readonly<Record<string, string>> },
  scope: Scope,
): Promise<LiveServer> {
  const folder = process.env['TIMELOOM_BENCH_PROFILE'];
  const profile =
    folder === undefined
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}.cpuprofile`];
  const memory = ['--expose-gc', '--require', join(import.meta.dirname, 'report-memory.cjs')];
  const child = spawn(process.execPath, [...profile, ...memory, ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  scope.defer(() => stop(child));
  const url = await readyUrl(child);
  const { pid = 0 } = child;
  return {
    name,
    url,
    cpuMs: () => cpuMsOf(pid),
    memoryBytes: () => {
      const answer = heard(child, z.number());
      child.send('memory');
      return answer;
    },
  };
}

async function readyUrl(child: ChildProcess): Promise<string> {
  if (child.stdout) {
    for await (const line of createInterface({ input: child.stdout })) {
      const ready = line.startsWith('{') ? Ready.safeParse(JSON.parse(line)) : undefined;
      if (!ready?.success) continue;
      child.stdout.resume();
      return ready.data.url;
    }
  }
  throw new Error('a measured server did not start');
}

function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program may contain blanks; the numbers follow its bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0] = [fields[11], fields[12]].map(Number);
  return ((user + system) * 1_000) / ticksPerSecond;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill();
  await gone;
}
