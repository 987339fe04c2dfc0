import { Client } from 'pg';
import { openPostgres } from '../../../runtime/adapters/sql/database/postgres.ts';
import { searchSnippets } from '../../../runtime/adapters/sql/search/search.ts';
import type { Query } from '../../../runtime/adapters/sql/search/search-scope.ts';
import { openSqlTimelineStore } from '../../../runtime/adapters/sql/store/timeline-store.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import type { Snippet, SnippetQuery } from '../../../runtime/timeline/ports/store.ts';
import { startPostgres } from '../../tools/services/services.ts';
import { type Area, missing } from '../area.ts';
import type { Figure } from '../figure.ts';
import { fill, type Planted, plant, sender, space } from './corpus.ts';
import { exactNeighbours, type Neighbour } from './exact.ts';
import { dimensions } from './vectors.ts';

const queries = 40;
const warmUp = 5;
const limit = 5;

/**
 * Search by words, by words alike and by meaning over the given number of snippets of one user in a real Postgres without pgvector,
 * beside the same with nothing left out: every snippet that has a word is ranked, every vector is compared. The time of
 * that comparison is taken once, for one query alone.
 */
export function benchMemsearch(size: number): Area {
  return async () => {
    try {
      await using server = await startPostgres();
      const database = openPostgres({ url: server.url, log: silentLog });
      await using store = await openSqlTimelineStore(database);
      const clients = [new Client(server.url), new Client(server.url)] as const;
      const [client] = clients;
      await Promise.all(clients.map((each) => each.connect()));
      try {
        await fill(clients, size);
        const planted = await plant({ client, store }, queries);
        await client.query('vacuum analyze');
        return { figures: await measure({ run: database.query, client, planted, size }) };
      } finally {
        await Promise.all(clients.map((each) => each.end()));
      }
    } catch (error) {
      return { figures: [], missing: [missing(`memsearch over ${size}`, error)] };
    }
  };
}

type Corpus = {
  readonly run: Query;
  readonly client: Client;
  readonly planted: readonly Planted[];
  readonly size: number;
};

export async function measure({ run, client, planted, size }: Corpus): Promise<readonly Figure[]> {
  const exact = await exactNeighbours(client, planted, dimensions);
  const compareAll = await timed(() => exactNeighbours(client, planted.slice(0, 1), dimensions));
  const [times, scoped, exactTimes]: [number[], number[], number[]] = [[], [], []];
  let [shared, wanted, found, plantedCount] = [0, 0, 0, 0];
  for (const [index, { text, vector, ids }] of planted.entries()) {
    const query = { text, targets: ['user'], limit, vector: { space, values: vector } } as const;
    const ours = await timed(() => search(run, query));
    const here = await timed(() => search(run, { ...query, conversation: 'conv_2' }));
    const theirs = await timed(() => search(exactly(run, exact[index] ?? []), query));
    // The first few only warm the caches up.
    if (index >= warmUp) {
      times.push(ours.ms);
      scoped.push(here.ms);
      exactTimes.push(theirs.ms + compareAll.ms);
    }
    const names = new Set(ours.value.map(nameOf));
    wanted += theirs.value.length;
    shared += theirs.value.map(nameOf).filter((name) => names.has(name)).length;
    const keys = await keysOf(client, ours.value);
    plantedCount += ids.length;
    found += ids.filter((id) => keys.has(id)).length;
  }
  const n = times.length;
  const [p50, p95] = [share(0.5), share(0.95)];
  return [
    figure(`memsearch.p50_vs_exact_${size}`, [p50(times), p50(exactTimes)], { unit: 'ms', n }),
    figure(`memsearch.p95_vs_exact_${size}`, [p95(times), p95(exactTimes)], { unit: 'ms', n }),
    figure(`memsearch.conversation_vs_user_${size}`, [p95(scoped), p95(times)], { unit: 'ms', n }),
    figure(`memsearch.recall5_vs_exact_${size}`, [shared / wanted, 1], {
      unit: 'share',
      n: wanted,
    }),
    figure(`memsearch.found5_vs_planted_${size}`, [found / plantedCount, 1], {
      unit: 'share',
      n: plantedCount,
    }),
  ];
}

function search(run: Query, query: SnippetQuery): Promise<readonly Snippet[]> {
  return searchSnippets(run, { sender, query, abilities: { trigrams: true, vectors: false } });
}

/** The same search where no word is too common to retrieve, and the neighbours are the true ones. */
function exactly(run: Query, neighbours: readonly Neighbour[]): Query {
  return async (sql, params) => {
    if (sql.includes('array_send')) return neighbours;
    const rows = await run(sql, params);
    return rows.map((row) =>
      typeof row === 'object' && row !== null && 'alike' in row ? { ...row, snippets: 0 } : row,
    );
  };
}

function nameOf({ conversation, seq }: Snippet): string {
  return `${conversation}.${seq}`;
}

async function keysOf(client: Client, snippets: readonly Snippet[]): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ id: number; cid: string }>(
    'select id, cid from conversation where cid = any ($1)',
    [snippets.map(({ conversation }) => conversation)],
  );
  const keys = new Map(rows.map(({ id, cid }) => [cid, id]));
  return new Set(snippets.map(({ conversation, seq }) => `${keys.get(conversation)}.${seq}`));
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const started = performance.now();
  const value = await work();
  return { ms: performance.now() - started, value };
}

/** The value that such a share of them does not exceed. */
function share(part: number) {
  return (values: readonly number[]) =>
    values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? Number.NaN;
}

function figure(
  id: string,
  [ours, theirs]: readonly [number, number],
  { unit, n }: { unit: string; n: number },
): Figure {
  return { id, ours, theirs, ratio: ours / theirs, unit, n };
}
