import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Database } from '../../../runtime/adapters/sql/database/database.ts';
import { openPostgres } from '../../../runtime/adapters/sql/database/postgres.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { connect } from '../../../runtime/client/index.ts';
import { orphanBlobMs } from '../../../runtime/engine/limits.ts';
import { type Served, serverTestsMsMax, startServe } from '../../tools/serve.ts';
import { openDatabase } from '../../tools/services/shared-postgres.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

const scope = new Scope();
const waits = { timeout: 60_000, interval: 100 };
let database: Database;
let server: Served;
let blobs = '';

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-orphans-'));
  scope.defer(() => rm(dir, { recursive: true, force: true }));
  const url = await openDatabase();
  database = scope.own(openPostgres({ url, log: silentLog }));
  blobs = join(dir, 'blobs');
  const script = join(dir, 'script.yaml');
  await writeFile(script, '- { answer: "Hi" }');
  server = scope.own(
    await startServe({
      DATABASE_URL: url,
      TIMELOOM_DATA_DIR: join(dir, 'data'),
      TIMELOOM_BLOBS: `file:${blobs}`,
      TIMELOOM_MODEL: `scripted:${script}`,
      TIMELOOM_BUNDLES: 'bundles/analyst',
      TIMELOOM_EXEC_MODE: 'off',
    }),
  );
});
afterAll(() => scope[Symbol.asyncDispose]());

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
}

const job = `select id from job where name = 'delete-orphan-blobs'`;

/** The job, as if an hour had passed. Resolves at the end of its run. */
async function run(): Promise<void> {
  const done = async () => {
    const [row] = await database.query(`select done, failed from job where id = (${job})`, []);
    return z.object({ done: z.coerce.number(), failed: z.coerce.number() }).parse(row);
  };
  const before = await done();
  await database.query(`update errand set due_at = now() where job = (${job})`, []);
  await vi.waitUntil(async () => (await done()).done > before.done, waits);
  expect((await done()).failed).toBe(0);
}

// proves: blobs.orphans
test('a server removes an upload that no message has named for two days, and nothing else', async () => {
  await using client = connect({ url: server.url, user: 'ann' });
  const conversation = client.conversation();
  const data = new TextEncoder().encode('a,b\n1,2\n');
  const attachments = [{ name: 'a.csv', mime: 'text/csv', data }];
  const turn = await conversation.send('Hello', { attachments });
  await turn.done();
  await run();
  const named = await filesBelow(blobs);
  const form = new FormData();
  form.append('file', new File(['c,d\n3,4\n'], 'b.csv'));
  await fetch(`${server.url}/api/uploads`, { method: 'POST', body: form });
  const all = await filesBelow(blobs);
  expect(all).toHaveLength(named.length + 1);
  await run();
  expect(await filesBelow(blobs)).toEqual(all);
  const at = (Date.now() - orphanBlobMs - 60_000) / 1_000;
  for (const path of all) await utimes(path, at, at);
  await run();
  expect((await filesBelow(blobs)).toSorted()).toEqual(named.toSorted());
});
