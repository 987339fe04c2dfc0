import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openPostgres } from '../../../runtime/adapters/sql/database/postgres.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { openFolder } from '../../runtime/sdk/kit.ts';
import { type Served, serverTestsMsMax, startServe } from '../../tools/serve.ts';
import { openDatabase } from '../../tools/services/shared-postgres.ts';
import { until } from '../supervisors/kit.ts';

vi.setConfig({ testTimeout: serverTestsMsMax, hookTimeout: serverTestsMsMax });

const source = `
import { appendFile } from 'node:fs/promises';
import { defineAgent, defineBundle, defineJob, defineOperation, defineProps } from 'timeloom/sdk';
import { z } from 'zod';
const settings = defineProps(z.object({ file: z.string(), server: z.string() }));
const tell = (ctx, what) => appendFile(ctx.props(settings).file, what + ' ' + ctx.props(settings).server + '\\n');
const sweep = defineJob({ id: 'sweep', schedule: '0 0 1 1 *', run: (_, ctx) => tell(ctx, 'sweep') });
const off = defineJob({ id: 'off', schedule: '0 0 1 1 *', run: (_, ctx) => tell(ctx, 'off') });
const mail = defineJob({ id: 'mail', input: z.object({ to: z.string() }), run: async ({ to }, ctx) => {
  const isFirst = (await ctx.storage.bundle.get(to, z.boolean())) === undefined;
  await ctx.storage.bundle.set(to, true);
  await tell(ctx, 'mail');
  if (isFirst) await new Promise(() => undefined);
  await tell(ctx, 'sent');
} });
const post = defineOperation({ id: 'post', input: z.object({ to: z.string() }), run: (input, ctx) => ctx.jobs.enqueue(mail, input, { key: input.to }) });
export const bundle = defineBundle({
  id: 'desk', version: '1', props: settings, jobs: [sweep, off, mail], operations: [post],
  agents: [defineAgent({ id: 'main', instruction: 'x' })],
});
`;

const bundles = (server: string, file: string) => `bundles:
  - { id: desk, path: ../desk, props: { file: ${file}, server: ${server} }, disable: [jobs.off] }
`;

// proves: jobs.ticks, jobs.crash, jobs.durable
test('two servers on one database perform a tick once, and one goes on with what the other was killed over', async () => {
  await using scope = new Scope();
  const folder = scope.own(await openFolder({ 'desk/bundle.ts': source, said: '' }));
  const file = join(folder.dir, 'said');
  const databaseUrl = await openDatabase();
  const servers: Record<string, Served> = {};
  for (const server of ['near', 'far']) {
    const place = scope.own(await openFolder({}));
    const config = scope.own(
      await openFolder({
        'desk/bundle.ts': source,
        'etc/bundles.yaml': bundles(server, file),
      }),
    );
    servers[server] = scope.own(
      await startServe({
        TIMELOOM_CONFIG_DIR: join(config.dir, 'etc'),
        TIMELOOM_DATA_DIR: place.dir,
        DATABASE_URL: databaseUrl,
        TIMELOOM_EXEC_MODE: 'off',
        TIMELOOM_LOG: 'warn',
      }),
    );
  }
  const database = scope.own(openPostgres({ url: databaseUrl, log: silentLog }));
  const said = async () => (await readFile(file, 'utf8')).split('\n').slice(0, -1);
  const counts = async () =>
    await database.query(
      "select name, done, failed from job where name in ('mail', 'sweep') order by name",
      [],
    );

  await database.query('update errand set due_at = clock_timestamp() where name is null', []);
  await until('the tick was performed', async () => (await said()).length > 0);
  const place = `${servers['near']?.url}/api/bundles/dev/dev/desk/operations/post`;
  const body = JSON.stringify({ to: 'ann' });
  const headers = { 'content-type': 'application/json' };
  const ask = () => fetch(place, { method: 'POST', body, headers });
  const answers = await Promise.all([ask(), ask()]);
  const ids = await Promise.all(answers.map((answer) => answer.json()));
  expect(ids[0]).toEqual(ids[1]);
  await until('the mail was begun', async () => (await said()).length > 1);
  const [sweep, mail = ''] = await said();
  expect(sweep).toMatch(/^sweep (near|far)$/);
  const holder = mail.split(' ')[1] ?? '';
  await servers[holder]?.kill();
  const other = holder === 'near' ? 'far' : 'near';
  await until('the mail was sent', async () => (await said()).length > 3);
  expect(await said()).toEqual([sweep, mail, `mail ${other}`, `sent ${other}`]);
  await until('it is done', async () =>
    JSON.stringify(await counts()).includes('"done":1,"failed":1'),
  );
  expect(await counts()).toEqual([
    { name: 'mail', done: 1, failed: 1 },
    { name: 'sweep', done: 1, failed: 0 },
  ]);
});
