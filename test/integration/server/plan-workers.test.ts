import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openPostgresTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { connect, type Turn } from '../../../runtime/client/index.ts';
import { readLog } from '../../../runtime/engine/inspect/open-log.ts';
import type { Block } from '../../../runtime/timeline/block.ts';
import { dataOf } from '../../../runtime/timeline/catalogue/catalogue.ts';
import { verify } from '../../../runtime/timeline/verify/verify.ts';
import { childrenOf, endNow } from '../../attack/kill/processes.ts';
import { serverTestsMsMax, startServe } from '../../tools/serve.ts';
import { startRedis } from '../../tools/services/services.ts';
import { openDatabase } from '../../tools/services/shared-postgres.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

const needs: Readonly<Record<string, readonly string[]>> = {
  ...{ a: [], b: [], c: ['a'], d: ['a', 'b'], e: ['c', 'd'], f: ['e'] },
};
const ids = Object.keys(needs);
const steps = ids.map((id) => ({ id, task: `Work on ${id}!`, needs: needs[id] }));
const slow = { chunk: 4, delay_ms: 30, beside: true };
/** Each conversation finds its reply, whichever process asks. */
const script = {
  plays: 'per_conversation',
  replies: [
    { when: '6 of 6 steps ended ok', answer: 'All six are done.', beside: true },
    ...ids.map((id) => ({
      when: `Work on ${id}!`,
      answer: `Done with ${id}. `.repeat(6),
      ...slow,
    })),
    { when: 'Do all six', call: { tool: 'react.run_plan', input: { steps } }, beside: true },
  ],
};
const { signal } = new AbortController();
const scope = new Scope();
let env: Record<string, string> & { DATABASE_URL: string };

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-plans-'));
  scope.defer(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, 'script.yaml');
  await writeFile(file, JSON.stringify(script));
  const agent = '{ delegation: { plans: true, verify: false } }';
  const path = resolve('bundles/analyst');
  const bundles = `bundles: [{ id: analyst, path: '${path}', agents: { analyst: ${agent} } }]`;
  await writeFile(join(dir, 'bundles.yaml'), bundles);
  env = {
    DATABASE_URL: await openDatabase(),
    REDIS_URL: scope.own(await startRedis()).url,
    TIMELOOM_DATA_DIR: join(dir, 'data'),
    TIMELOOM_CONFIG_DIR: dir,
    TIMELOOM_MODEL: `scripted:${file}`,
    TIMELOOM_EXEC_MODE: 'off',
    TIMELOOM_WORKERS: '1',
  };
});
afterAll(() => scope[Symbol.asyncDispose]());

/** `kill -9` of the worker process; the server starts another one. */
async function killWorker(server: { readonly pid: number }): Promise<void> {
  for (const pid of await childrenOf(server.pid)) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes('--attached')) expect(endNow(pid)).toBe(true);
  }
}

/** When two steps have started, and when three have ended. */
async function killTwice(turn: Turn, server: { readonly pid: number }): Promise<number> {
  const seen: string[] = [];
  const count = (type: string) => seen.filter((each) => each === type).length;
  let kills = 0;
  for await (const event of turn.events()) {
    if (event.type === 'chat.step') seen.push(event.event.step);
    const isDue = kills === 0 ? count('agent.call') === 2 : count('agent.result') === 3;
    if (!isDue || kills === 2) continue;
    kills += 1;
    await killWorker(server);
  }
  return kills;
}

// proves: plan.crash
test('a plan of six steps with two killed workers in the middle ends once, with every step run once', async () => {
  await using server = await startServe(env);
  await using client = connect({ url: server.url, user: 'ann' });
  const conversation = client.conversation();
  const turn = await conversation.send('Do all six');
  expect(await killTwice(turn, server)).toBe(2);
  expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'All six are done.' });

  await using store = await openPostgresTimelineStore({ url: env.DATABASE_URL });
  const logOf = async (id: string) => {
    const row = await store.find({ tenant: 'dev', project: 'dev', user: 'ann' }, id, { signal });
    return row ? await readLog(store, row, { pageBlocks: 1_000, signal }) : [];
  };
  const blocks = await logOf(conversation.id);
  expect(verify(blocks)).toEqual([]);
  expect(typesOf(blocks, /^turn\.close$|^react\.tool/)).toEqual([
    ...['react.tool.call', 'react.tool.result', 'turn.close'],
  ]);
  const calls = blocks.flatMap((block) =>
    block.type === 'agent.call' ? (dataOf('agent.call', block) ?? []) : [],
  );
  expect(calls.map(({ step }) => step).toSorted()).toEqual(ids);
  expect(typesOf(blocks, /^agent\.result$/)).toHaveLength(6);
  for (const { conversation: child } of calls) {
    const own = await logOf(child);
    expect(verify(own)).toEqual([]);
    expect(typesOf(own, /^turn\.|^user\.|^assistant\./)).toEqual([
      ...['turn.open', 'user.prompt', 'assistant.completion', 'turn.close'],
    ]);
  }
});

function typesOf(blocks: readonly Block[], type: RegExp): readonly string[] {
  return blocks.filter((block) => type.test(block.type)).map((block) => block.type);
}
