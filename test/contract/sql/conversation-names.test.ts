import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../runtime/adapters/sql/database/database.ts';
import { openPglite } from '../../../runtime/adapters/sql/database/pglite.ts';
import { timelineTables } from '../../../runtime/adapters/sql/migrations/0001-timeline.ts';
import { timelineWrites } from '../../../runtime/adapters/sql/migrations/0002-writes.ts';
import { timelineViews } from '../../../runtime/adapters/sql/migrations/0003-views.ts';
import { timelineMemory } from '../../../runtime/adapters/sql/migrations/0004-memory.ts';
import { timelineForks } from '../../../runtime/adapters/sql/migrations/0005-forks.ts';
import { timelineForkTurns } from '../../../runtime/adapters/sql/migrations/0006-fork-turns.ts';
import { memoryCentres } from '../../../runtime/adapters/sql/migrations/0007-centres.ts';
import { programCalls } from '../../../runtime/adapters/sql/migrations/0008-program-calls.ts';
import { feedbackIndex } from '../../../runtime/adapters/sql/migrations/0009-feedback.ts';
import { storedValues } from '../../../runtime/adapters/sql/migrations/0010-stored-values.ts';
import { erasure } from '../../../runtime/adapters/sql/migrations/0011-erasure.ts';
import { jobs } from '../../../runtime/adapters/sql/migrations/0012-jobs.ts';
import { openSqlTimelineStore } from '../../../runtime/adapters/sql/store/timeline-store.ts';
import { storageSpace } from '../../../runtime/sdk/compile/host/spaces.ts';
import { request, signal } from '../timeline-store/kit.ts';

const before = [
  ...[timelineTables, timelineWrites, timelineViews, timelineMemory, timelineForks],
  ...[timelineForkTurns, memoryCentres, programCalls, feedbackIndex, storedValues, erasure, jobs],
];
const place = { tenant: 't', project: 'p' };
const ada = { ...place, user: 'ada@house.example/ä 😀' };
const bob = { ...place, user: 'bob' };
const valuesOf = ({ user }: { user: string }) =>
  storageSpace(
    { ...place, bundle: 'desk', revision: 'r', user, conversation: 'conv_1' },
    'conversation',
  );
let database: Database;

/** A database as it was when an id was unique to a whole project. */
beforeAll(async () => {
  database = await openPglite({ dir: undefined });
  await database.script('create table migration (number int primary key);');
  await database.script(`${before.join('')}insert into migration select generate_series(1, 12);`);
  for (const [user, id, digest] of [
    [ada.user, 'conv_1', 'd'],
    [bob.user, 'conv_2', 'open'],
  ] as const) {
    await database.query(
      `select * from timeline_accept('t', 'p', $1, $2, 'open_' || $2, $3, '{}', '{}', '{}', '{}', '{}', '{}', '^user',
         false, 'turn_1', '{}', null, false, 0)`,
      [user, id, digest],
    );
  }
  await database.query(
    `select storage_set('conversation/t/p/desk/conv_1', 'k', '"kept"', null, 9, 9)`,
    [],
  );
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});

// proves: conversations.own-values
test('conversations and their values stay where they were when ids become those of their users', async () => {
  const store = await openSqlTimelineStore(database);
  const { values } = store;
  expect(await store.find(ada, 'conv_1', { signal })).toMatchObject({ key: 1, ...ada });
  expect(await values.get(valuesOf(ada), 'k')).toBe('kept');
  const again = request(bob, { conversation: 'conv_1' });
  expect(await store.accept(again, { signal })).toMatchObject({ status: 'started', key: 3 });
  expect(await values.get(valuesOf(bob), 'k')).toBeUndefined();
  await values.set(valuesOf(bob), 'k', { value: 'theirs' });
  await store.erase(ada, 'conv_1', { signal });
  await values.set(valuesOf(ada), 'late', { value: 1 });
  for (const left of await store.erasures.claim({ limit: 9, ttlMs: 1_000, signal })) {
    await store.erasures.remove(left, { signal });
  }
  expect(await values.get(valuesOf(ada), 'k')).toBeUndefined();
  expect(await values.get(valuesOf(ada), 'late')).toBeUndefined();
  expect(await values.get(valuesOf(bob), 'k')).toBe('theirs');
});

test('a conversation that a bundle opened is still the one that its id means to bundles', async () => {
  const store = await openSqlTimelineStore(database);
  await store.accept(request(ada, { conversation: 'conv_2' }), { signal });
  expect(await store.find(place, 'conv_2', { signal })).toMatchObject({ user: 'bob' });
});
