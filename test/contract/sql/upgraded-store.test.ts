import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../runtime/adapters/sql/database/database.ts';
import { openPglite } from '../../../runtime/adapters/sql/database/pglite.ts';
import { timelineTables } from '../../../runtime/adapters/sql/migrations/0001-timeline.ts';
import { timelineWrites } from '../../../runtime/adapters/sql/migrations/0002-writes.ts';
import { openSqlTimelineStore } from '../../../runtime/adapters/sql/store/timeline-store.ts';
import { toConversationKey, toSeq, toTurnId } from '../../../runtime/timeline/ids.ts';
import { toBody } from '../../../runtime/timeline/ports/store-rules.ts';
import {
  append,
  close,
  log,
  own,
  promptWithFile,
  request,
  signal,
  thought,
} from '../timeline-store/kit.ts';

const sender = { tenant: 't', project: 'p', user: 'ada' };
let database: Database;

/** A database as a program wrote it that knew the first two migrations only. */
beforeAll(async () => {
  database = await openPglite({ dir: undefined });
  await database.script('create table migration (number int primary key);');
  await database.script(`${timelineTables}${timelineWrites}insert into migration values (1), (2);`);
  const body = toBody({
    type: 'user.prompt',
    turn: toTurnId('turn_1'),
    author: 'user',
    text: 'hello',
  });
  await accept(body);
  await database.query('update conversation set fence = 1, lease_by = $1', ['w']);
  const types = ['react.thinking', 'view.compact'];
  await database.query(
    `select * from timeline_append(1, 1, 'op_1', $1, $2, $3, $3, $4, $3, $3, null, null, null)`,
    [
      types,
      types.map(() => 'turn_1'),
      types.map(() => null),
      types.map((type) => toBody({ type, turn: toTurnId('turn_1'), author: 'system' })),
    ],
  );
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});

const accept = (body: string) =>
  database.query(
    `select * from timeline_accept('t', 'p', 'ada', 'conv_1', $1, 'd', array['user.prompt'],
       array['ar:$turn.user.prompt'], array[null::text], array[$1], array['user'], array['hello'],
       '^user', true, 'turn_1', $1, null, false)`,
    [body],
  );

// proves: store.migrations
test('an earlier database is brought up to date, and its conversations go on', async () => {
  const store = await openSqlTimelineStore(database);
  const row = await store.find(sender, 'conv_1', { signal });
  expect(row).toMatchObject({ head: 4, windowSeq: 4, openTurn: 'turn_1', user: 'ada' });
  const windows = await database.query('select * from view_window', []);
  expect(windows).toEqual([{ conv: 1, seq: 4, window_seq: 4 }]);
  const joined = await store.accept(
    request(sender, { conversation: 'conv_1', ...promptWithFile('and now?') }),
    { signal },
  );
  expect(joined).toMatchObject({ status: 'queued', turn: 'turn_1', seq: 6 });
  await database.query('update conversation set lease_by = null, lease_until = null', []);
  const lease = await own(store, toConversationKey(1));
  const blocks = [thought(lease), close(lease)];
  const closed = append(lease, { blocks, asOf: toSeq(6), window: toSeq(2) });
  expect(await store.append(toConversationKey(1), closed, { signal })).toMatchObject({
    status: 'ok',
    head: 8,
  });
  expect((await log(store, toConversationKey(1))).map(({ seq }) => seq)).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8,
  ]);
});

test('a program that knows the earlier form of the writes still works on it', async () => {
  const body = toBody({
    type: 'user.prompt',
    turn: toTurnId('turn_2'),
    author: 'user',
    text: 'again',
  });
  const [answer] = await accept(body);
  expect(answer).toMatchObject({ status: 'started', seq: 10 });
});
