import { randomUUID } from 'node:crypto';
import type { Database } from '../../runtime/adapters/sql/database/database.ts';
import { openPglite } from '../../runtime/adapters/sql/database/pglite.ts';
import { openPostgres } from '../../runtime/adapters/sql/database/postgres.ts';
import { statements } from '../../runtime/adapters/sql/rows/statements.ts';
import { openSqlTimelineStore } from '../../runtime/adapters/sql/store/timeline-store.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { append, started, thought } from '../contract/timeline-store/kit.ts';
import { startPostgres } from '../tools/services/services.ts';
import { type Area, missing } from './area.ts';
import { type Figure, toFigure } from './figure.ts';

const signal = new AbortController().signal;
const warmUp = 40;
const times = 300;
const text = 'The mean of the daily highs is above the normal in every month but January. '.repeat(
  4,
);

/**
 * One append of one block, with fence, op id, gapless seq and indexes, beside a bare insert of the same text into a
 * table with nothing but a primary key: same database, same connection, in turns. The append is prepared once per
 * connection, as the program does it; the insert is what a plain query of the driver does.
 */
export const benchStore: Area = async () => {
  const pglite = await overDatabase(
    'pglite',
    await openPglite({ dir: undefined, prepared: statements }),
  );
  try {
    await using server = await startPostgres();
    const database = openPostgres({ url: server.url, log: silentLog, prepared: statements });
    return { figures: [pglite, await overDatabase('postgres', database)] };
  } catch (error) {
    return { figures: [pglite], missing: [missing('store.append_vs_insert in Postgres', error)] };
  }
};

async function overDatabase(name: string, database: Database): Promise<Figure> {
  await using store = await openSqlTimelineStore(database);
  await database.script(
    'create table bare (conversation text, seq bigint, body text, primary key (conversation, seq))',
  );
  const { key, lease } = await started(store);
  const conversation = randomUUID();
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let n = -warmUp; n < times; n += 1) {
    const mine = await milliseconds(async () => {
      const request = append(lease, { blocks: [thought(lease, text)] });
      const { status } = await store.append(key, request, { signal });
      if (status !== 'ok') throw new Error(`an append was ${status}`);
    });
    const bare = await milliseconds(() =>
      database.query('insert into bare values ($1, $2, $3) returning seq', [conversation, n, text]),
    );
    if (n < 0) continue;
    ours.push(mine);
    theirs.push(bare);
  }
  return toFigure(`store.append_vs_insert_${name}`, { ours, theirs, unit: 'ms' });
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
