import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Database } from '../../../runtime/adapters/sql/database/database.ts';
import { openPostgres } from '../../../runtime/adapters/sql/database/postgres.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { connect } from '../../../runtime/client/index.ts';
import { blobGraceMs, erasureSettleMs } from '../../../runtime/engine/limits.ts';
import { type Served, serverTestsMsMax, startServe } from '../../tools/serve.ts';
import { openDatabase } from '../../tools/services/shared-postgres.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

const scope = new Scope();
let env: Record<string, string> = {};
let data = '';
let database: Database;

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-erase-'));
  scope.defer(() => rm(dir, { recursive: true, force: true }));
  const url = await openDatabase();
  database = scope.own(openPostgres({ url, log: silentLog }));
  data = join(dir, 'data');
  const script = join(dir, 'script.yaml');
  await writeFile(script, '- { thinking: "A long thought", hold: forever }');
  env = {
    DATABASE_URL: url,
    TIMELOOM_DATA_DIR: data,
    TIMELOOM_MODEL: `scripted:${script}`,
    TIMELOOM_BUNDLES: 'bundles/analyst',
    TIMELOOM_EXEC_MODE: 'off',
  };
});
afterAll(() => scope[Symbol.asyncDispose]());

const tables = [
  ...['block', 'snippet', 'turn', 'view_window', 'program_call', 'stored_value', 'lexicon'],
  ...['blob_use', 'blob_removal', 'erasure', 'snippet_vector'],
] as const;

async function count(what: string): Promise<number> {
  const [row] = await database.query(`select count(*) as n from ${what}`, []);
  return Number((row as { n: number }).n);
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
}

/** As if it had been put before anybody could still be about to name it. */
async function age(paths: readonly string[]): Promise<void> {
  const at = (Date.now() - 2 * blobGraceMs) / 1000;
  for (const path of paths) await utimes(path, at, at);
}

/** A conversation whose turn is at work, with a file, and then as long as one of years. */
async function begin(server: Served): Promise<string> {
  await using client = connect({ url: server.url, user: 'ann' });
  const conversation = client.conversation();
  const file = { name: 'a.csv', mime: 'text/csv', data: new TextEncoder().encode('a,b\n1,2\n') };
  const turn = await conversation.send('Hello', { attachments: [file] });
  for await (const event of turn.events()) if (event.type === 'chat.delta') break;
  await database.query(
    `insert into block (conv, seq, at, type, turn, body)
       select c.id, 1000 + i, now(), 'react.note', 'none', '{"author":"agent","meta":{}}'
         from conversation c, generate_series(1, 20000) i where c.cid = $1`,
    [conversation.id],
  );
  await database.query(
    `insert into snippet (conv, seq, at, target, text)
       select c.id, 1000 + i, now(), 'notes', 'remarkable word' || i
         from conversation c, generate_series(1, 2000) i where c.cid = $1`,
    [conversation.id],
  );
  const space = ['conversation', 'dev', 'dev', 'analyst', conversation.id, 'ann'].join('/');
  await database.query(`select storage_set($1, 'k', '1', null, 9, 9)`, [space]);
  return conversation.id;
}

// proves: erase.outbox
test('a server killed in the middle of an erasure comes back, and nothing of the conversation is left', async () => {
  let id = '';
  {
    await using server = await startServe(env);
    id = await begin(server);
    const bytes = await filesBelow(join(data, 'blobs'));
    expect(bytes.length).toBeGreaterThan(2);
    await age(bytes);
    const all = await count('block');
    const address = new URL(`/conversations/dev/dev/${id}`, server.url);
    const headers = { 'x-timeloom-user': 'ann' };
    const erased = await fetch(address, { method: 'DELETE', headers });
    expect(erased.status).toBe(200);
    await vi.waitUntil(async () => (await count('snippet')) < 2_000, {
      timeout: 30_000,
      interval: 5,
    });
    await server.kill();
    expect(await count('block')).toBeGreaterThan(0);
    expect(await count('block')).toBeLessThanOrEqual(all);
    expect(await count('erasure')).toBe(1);
  }
  await age(await filesBelow(join(data, 'blobs')));
  await database.query('update erasure set due_at = now()', []);
  await using server = await startServe(env);
  const isDone = async () => (await count('erasure')) + (await count('blob_removal')) === 0;
  await vi.waitUntil(isDone, { timeout: erasureSettleMs + 60_000, interval: 250 });
  await database.query(`delete from stored_value where space = '["blobs"]'`, []);
  const rows = await Promise.all(tables.map(async (table) => [table, await count(table)] as const));
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(tables.map((table) => [table, 0])));
  const bytes = await filesBelow(join(data, 'blobs'));
  // The hourly search for unused bytes may have begun.
  expect(bytes.filter((path) => !path.includes('/installations/'))).toEqual([]);
  expect(await filesBelow(join(data, 'frames'))).toEqual([]);
  expect(await count(`conversation where cid = '${id}' and erased_at is not null`)).toBe(1);
  expect(await count(`accepted where conv is null and digest = '' and turn is null`)).toBe(1);
  expect(await count('accepted')).toBe(1);
  expect(server.log()).not.toContain('is not removed yet');
});

/** What the user and the bundles keep for them: as much as several steps remove. */
async function keep(user: string): Promise<void> {
  for (const kind of ['user', 'secret']) {
    const space = [kind, 'dev', 'dev', 'analyst', user].join('/');
    await database.query(
      `insert into stored_value (space, place, key, value)
         select $1, storage_place($1), 'k' || i, '1' from generate_series(1, 20000) i`,
      [space],
    );
  }
}

// proves: erase.user
test('a server killed while it erases a user comes back, and nothing of the user is left, but all of others', async () => {
  const values = (user: string) => count(`stored_value where space like '%/${user}'`);
  const living = `conversation where owner = 'ann' and erased_at is null`;
  const erase = (server: Served, path: string, user: string) =>
    fetch(new URL(path, server.url), {
      method: 'DELETE',
      headers: { 'x-timeloom-user': user, 'x-timeloom-client': 'test' },
    });
  await Promise.all([keep('ann'), keep('bob')]);
  {
    await using server = await startServe(env);
    await begin(server);
    const answer = erase(server, '/api/me', 'ann').catch(() => undefined);
    await vi.waitUntil(async () => (await values('ann')) < 40_000, {
      timeout: 30_000,
      interval: 1,
    });
    await server.kill();
    await answer;
    expect(await values('ann')).toBeGreaterThan(0);
    expect(await count('user_erasure')).toBe(1);
  }
  await database.query('update user_erasure set due_at = now()', []);
  await using server = await startServe(env);
  // A value of a conversation goes with the rest of the conversation, soon after it is erased.
  const isDone = async () =>
    (await count('user_erasure where not late')) + (await values('ann')) === 0;
  await vi.waitUntil(isDone, { timeout: 60_000, interval: 100 });
  expect([await values('ann'), await values('bob'), await count(living)]).toEqual([0, 40_000, 0]);
  const other = await erase(server, '/api/users/dev/dev/bob', 'root');
  expect([other.status, await other.json()]).toEqual([200, { ok: true, status: 'erased' }]);
  expect(await values('bob')).toBe(0);
});
