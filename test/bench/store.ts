import { randomUUID } from 'node:crypto';
import type { Database } from '../../runtime/adapters/sql/database/database.ts';
import { openPglite } from '../../runtime/adapters/sql/database/pglite.ts';
import { openPostgres } from '../../runtime/adapters/sql/database/postgres.ts';
import { statements } from '../../runtime/adapters/sql/rows/statements.ts';
import { openSqlTimelineStore } from '../../runtime/adapters/sql/store/timeline-store.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { append, newSender, request, started, thought } from '../contract/timeline-store/kit.ts';
import { startPostgres } from '../tools/services/services.ts';
import { type Area, missing } from './area.ts';
import { type Figure, toFigure } from './figure.ts';

const signal = new AbortController().signal;
const warmUp = 1_000;
const times = 300;
const text = 'The mean of the daily highs is above the normal in every month but January. '.repeat(
  4,
);

/**
 * A message that opens a conversation, and an append of one block, with fence, op id, gapless seq and indexes, beside a bare
 * insert of the same text into a table with nothing but a primary key: same database, same connection, in turns. Ours are
 * prepared once per connection, as the program does it; the insert is what a plain query of the driver does.
 */
export const benchStore: Area = async () => {
  const pglite = await overDatabase(
    'pglite',
    await openPglite({ dir: undefined, prepared: statements }),
  );
  try {
    await using server = await startPostgres();
    const database = openPostgres({ url: server.url, log: silentLog, prepared: statements });
    return { figures: [...pglite, ...(await overDatabase('postgres', database))] };
  } catch (error) {
    return { figures: pglite, missing: [missing('store.* in Postgres', error)] };
  }
};

async function overDatabase(name: string, database: Database): Promise<readonly Figure[]> {
  await using store = await openSqlTimelineStore(database);
  await database.script(
    'create table bare (conversation text, seq bigint, body text, primary key (conversation, seq))',
  );
  const { lease } = await started(store);
  const accepted = await besideInsert(database, async () => {
    const { status } = await store.accept(request(newSender()), { signal });
    if (status !== 'started') throw new Error(`a message was ${status}`);
  });
  const appended = await besideInsert(database, async () => {
    const blocks = [thought(lease, text)];
    const { status } = await store.append(lease.row.key, append(lease, { blocks }), { signal });
    if (status !== 'ok') throw new Error(`an append was ${status}`);
  });
  return [
    toFigure(`store.append_vs_insert_${name}`, { ...appended, unit: 'ms' }),
    toFigure(`store.accept_vs_insert_${name}`, { ...accepted, unit: 'ms' }),
  ];
}

/** The work and an insert of one row, in turns. */
async function besideInsert(database: Database, work: () => Promise<void>) {
  const conversation = randomUUID();
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let n = -warmUp; n < times; n += 1) {
    const mine = await milliseconds(work);
    const bare = await milliseconds(() =>
      database.query('insert into bare values ($1, $2, $3) returning seq', [conversation, n, text]),
    );
    if (n < 0) continue;
    ours.push(mine);
    theirs.push(bare);
  }
  return { ours, theirs };
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
