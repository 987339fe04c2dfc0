import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { openPgliteTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import { connect } from '../../../runtime/client/index.ts';
import { toConversationKey, toSeq } from '../../../runtime/timeline/ids.ts';
import { verify } from '../../../runtime/timeline/verify/verify.ts';
import { serverTestsMsMax, startServe } from '../../tools/serve.ts';
import { openDatabase } from '../../tools/services/shared-postgres.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

const run = promisify(execFile);
const spender = join(import.meta.dirname, 'spender.ts');
const Spent = z.record(z.string(), z.number());

// proves: spending.exact
test('processes that spend for the same users at the same time exceed a limit by one answer at most', async () => {
  const url = await openDatabase();
  const [limit, users] = [1_000, 40];
  const spend = async (name: string) => {
    const args = [spender, url, name, String(limit), String(users)];
    const { stdout } = await run(process.execPath, args);
    return Spent.parse(JSON.parse(stdout));
  };
  const [one = {}, two = {}] = await Promise.all(['one', 'two'].map((name) => spend(name)));
  const names = [...new Set([...Object.keys(one), ...Object.keys(two)])];
  expect(names).toHaveLength(users);
  expect(names.filter((user) => one[user] && two[user]).length).toBeGreaterThan(0);
  for (const user of names) {
    const total = (one[user] ?? 0) + (two[user] ?? 0);
    expect(total).toBeGreaterThanOrEqual(limit);
    expect(total).toBeLessThan(limit + 400);
  }
});

// proves: spending.question, crash.kill
test('a server killed while a user is asked to extend a limit asks once and goes on with the decision', async () => {
  await using place = await openPlace();
  const { conversation, request } = await askAndKill(place.env);
  await writeFile(place.script, '- { answer: "Second." }');
  expect(await finish(place.env, { conversation, request })).toBe('Second.');
  const blocks = await readLog(place.timeline, conversation);
  expect(verify(blocks)).toEqual([]);
  const asked = blocks.filter(({ type }) => type.startsWith('approval.')).map(({ type }) => type);
  expect(asked).toEqual(['approval.request', 'approval.decision', 'approval.close']);
});

async function openPlace() {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-spending-'));
  const script = join(dir, 'script.yaml');
  await writeFile(script, '- { answer: "First." }');
  const spending = 'spending: { user: { day_tokens: 10, extend: { tokens: 100000 } } }';
  await writeFile(join(dir, 'assembly.yaml'), spending);
  return {
    env: {
      TIMELOOM_CONFIG_DIR: dir,
      TIMELOOM_DATA_DIR: join(dir, 'data'),
      TIMELOOM_MODEL: `scripted:${script}`,
      TIMELOOM_BUNDLES: 'bundles/analyst',
      TIMELOOM_EXEC_MODE: 'off',
    },
    script,
    timeline: join(dir, 'data', 'timeline'),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

/** The first turn uses the limit up; in the second one the user is asked, and the server dies. */
async function askAndKill(env: Readonly<Record<string, string>>) {
  await using server = await startServe(env);
  await using client = connect({ url: server.url, user: 'ann' });
  const conversation = client.conversation();
  const first = await conversation.send('One');
  expect((await first.done()).text).toBe('First.');
  const second = await conversation.send('Two');
  for await (const event of second.events()) {
    if (event.type !== 'chat.approval') continue;
    expect(event.data).toMatchObject({ kind: 'spending', extension: { tokens: 100_000 } });
    await server.kill();
    return { conversation: conversation.id, request: event.data.request };
  }
  throw new Error('no question was asked');
}

async function finish(
  env: Readonly<Record<string, string>>,
  { conversation: id, request }: { conversation: string; request: string },
): Promise<string> {
  await using server = await startServe(env);
  await using client = connect({ url: server.url, user: 'ann' });
  const conversation = client.conversation(id);
  await conversation.decide(request, { allow: true });
  let ended = 0;
  for await (const event of conversation.events()) {
    if (event.type !== 'chat.complete') continue;
    ended += 1;
    if (ended === 2) return event.data.text;
  }
  return 'the stream ended';
}

async function readLog(dir: string, id: string) {
  await using store = await openPgliteTimelineStore({ dir });
  const { signal } = new AbortController();
  const row = await store.find({ tenant: 'dev', project: 'dev' }, id, { signal });
  const after = toSeq(0);
  return await store.read(toConversationKey(row?.key ?? 0), { after, limit: 10_000, signal });
}
