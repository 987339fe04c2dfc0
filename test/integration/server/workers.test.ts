import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openPostgresTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { connect } from '../../../runtime/client/index.ts';
import { readLog } from '../../../runtime/engine/inspect/open-log.ts';
import { childrenOf, endNow, ends } from '../../attack/kill/processes.ts';
import { externalServices, type ServerEnv } from '../../tools/external-services.ts';
import { type Served, serverTestsMsMax, startServe } from '../../tools/serve.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

// proves: cli.workers

const answer = 'Words that arrive one after the other. '.repeat(10).trim();
const { signal } = new AbortController();
const scope = new Scope();
let env: ServerEnv;
let server: Served;

beforeAll(async () => {
  const script = `- { answer: "${answer}", chunk: 4, delay_ms: 20 }\n`;
  env = {
    ...(await externalServices(scope, script)),
    TIMELOOM_EXEC_MODE: 'process',
    TIMELOOM_WORKERS: '1',
  };
  server = scope.own(await startServe(env));
});
afterAll(() => scope[Symbol.asyncDispose]());

/** Without esbuild, which ends on its own. */
async function workerPids({ pid }: { readonly pid: number }): Promise<readonly number[]> {
  const children = await childrenOf(pid);
  const commands = children.map((child) => readFile(`/proc/${child}/cmdline`, 'utf8'));
  const texts = await Promise.all(commands.map((command) => command.catch(() => '')));
  return children.filter((_, n) => texts[n]?.includes('--attached'));
}

async function workersOf(server: { readonly url: string }): Promise<unknown> {
  const health: unknown = await (await fetch(`${server.url}/health`)).json();
  return typeof health === 'object' && health !== null && 'workers' in health
    ? health.workers
    : undefined;
}

test('a turn whose worker process is killed goes on in the next one and ends once', async () => {
  expect(server.sandbox).toBe('process');
  const [worker = 0, ...others] = await workerPids(server);
  expect(others).toEqual([]);
  expect(await workersOf(server)).toEqual({ configured: 1, ready: 1, restarts: 0 });

  await using client = connect({ url: server.url, user: 'ann' });
  const conversation = client.conversation();
  const turn = await conversation.send('Hello');
  for await (const _ of turn.channel('answer')) break;
  endNow(worker);
  expect(await turn.done()).toMatchObject({ reason: 'completed', text: answer });

  await using store = await openPostgresTimelineStore({ url: env.DATABASE_URL });
  const place = { tenant: 'dev', project: 'dev', user: 'ann' };
  const row = await store.find(place, conversation.id, { signal });
  const blocks = row ? await readLog(store, row, { pageBlocks: 1_000, signal }) : [];
  expect(blocks.filter(({ type }) => type === 'turn.close')).toHaveLength(1);
  expect(await workersOf(server)).toEqual({ configured: 1, ready: 1, restarts: 1 });
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toContain('timeloom_workers_ready 1\ntimeloom_worker_restarts_total 1\n');
  expect(server.log()).toContain('a worker process ended and will be started again');
});

test('a worker process ends with its server, also when the server is killed', async () => {
  const workers = [...(await workerPids(server))];
  process.kill(server.pid, 'SIGTERM');
  await server.exited;
  expect(server.log()).not.toContain('did not end in time');
  const killed = await startServe(env);
  workers.push(...(await workerPids(killed)));
  await killed.kill();
  expect(workers).toHaveLength(2);
  for (const pid of workers) expect(await ends(pid)).toBe(true);
});

test('a server with the embedded database refuses worker processes and says what to set', async () => {
  const { DATABASE_URL: _, REDIS_URL: __, ...embedded } = env;
  await expect(startServe(embedded)).rejects.toThrow('set DATABASE_URL and REDIS_URL');
});
