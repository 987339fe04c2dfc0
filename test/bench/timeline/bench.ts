import { z } from 'zod';
import { openMemoryBlobStore } from '../../../runtime/adapters/memory/blob-store.ts';
import type { Database } from '../../../runtime/adapters/sql/database/database.ts';
import { openPostgres } from '../../../runtime/adapters/sql/database/postgres.ts';
import { statements } from '../../../runtime/adapters/sql/rows/statements.ts';
import { openSqlTimelineStore } from '../../../runtime/adapters/sql/store/timeline-store.ts';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import type { Block } from '../../../runtime/timeline/block.ts';
import { emptyView, foldAll } from '../../../runtime/timeline/fold/fold.ts';
import type { BlobStore } from '../../../runtime/timeline/ports/blobs.ts';
import { render } from '../../../runtime/timeline/render/render.ts';
import { append, started, thought } from '../../contract/timeline-store/kit.ts';
import { createDatabase, startPostgres } from '../../tools/services/services.ts';
import { type Area, missing } from '../area.ts';
import type { StoryClock } from '../cache/clock.ts';
import { tell } from '../cache/world.ts';
import { type Figure, toFigure } from '../figure.ts';
import { openGraph, toGraphTurns } from './graph.ts';

const turns = 200;
const seed = 7;
const openings = 12;
const appends = 200;
const blocksPerAppend = 10;
const signal = new AbortController().signal;
const Bytes = z.object({ bytes: z.number() });

/**
 * A conversation of 200 turns on Postgres: bytes kept and time per step beside LangGraph's checkpoints of the same
 * conversation; opening it beside reading all of it; and blocks appended beside bare rows.
 */
export const benchTimeline: Area = async () => {
  try {
    await using server = await startPostgres();
    const mine = await tellOurs(await createDatabase(server.url, 'ours'));
    const graph = await tellGraph(await createDatabase(server.url, 'theirs'), mine.log);
    return {
      figures: [
        {
          id: 'timeline.bytes_200_turns_vs_langgraph',
          ours: mine.bytes,
          theirs: graph.bytes,
          ratio: mine.bytes / graph.bytes,
          unit: 'bytes',
          n: mine.steps,
        },
        toFigure('timeline.step_vs_langgraph', {
          ours: mine.stepMs,
          theirs: graph.stepMs,
          unit: 'ms per step, a median turn',
        }),
        openingFigure(mine.log, mine.window),
        await appendFigure(await createDatabase(server.url, 'rows')),
      ],
    };
  } catch (error) {
    return { figures: [], missing: [missing('timeline.* in Postgres', error)] };
  }
};

/** The real engine; every answer of the model is there at once, so that what is left is ours. */
async function tellOurs(url: string) {
  const database = openPostgres({ url, log: silentLog });
  await using store = await openSqlTimelineStore(database);
  await using memory = openMemoryBlobStore();
  const blobs = counting(memory);
  const turnMs: number[] = [];
  const { log } = await tell(turns, seed, {
    stage: { store, blobs, clock: realClock(turnMs) },
  });
  const rounds = roundsByTurn(log);
  const row = await store.find({ tenant: 'bench', project: 'bench' }, 'conv_bench', { signal });
  return {
    log,
    window: row?.windowSeq ?? 1,
    bytes: (await bytesOf(database)) + blobs.bytes(),
    steps: rounds.reduce((sum, count) => sum + count, 0),
    stepMs: turnMs.map((ms, index) => ms / (rounds[index] ?? 1)),
  };
}

async function tellGraph(url: string, log: readonly Block[]) {
  const stepMs: number[] = [];
  {
    await using graph = await openGraph(url);
    for (const turn of toGraphTurns(log)) {
      const began = performance.now();
      await graph.say(turn);
      stepMs.push((performance.now() - began) / Math.max(1, turn.steps.length));
    }
  }
  await using database = openPostgres({ url, log: silentLog });
  return { stepMs, bytes: await bytesOf(database) };
}

/** Tables, their indexes and what is kept out of line. */
async function bytesOf(database: Database): Promise<number> {
  const [row] = await database.query(
    `select sum(pg_total_relation_size(c.oid))::float8 as bytes from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`,
    [],
  );
  return Bytes.parse(row).bytes;
}

/** Notes when each turn begins: a story lets time pass before it, which here takes none. */
function realClock(turnMs: number[]): StoryClock {
  let began = performance.now();
  return {
    ...systemClock,
    now: () => systemClock.now(),
    monotonic: () => systemClock.monotonic(),
    sleep: (ms, options) => systemClock.sleep(ms, options),
    pass: () => undefined,
    turn: () => {
      turnMs.push(performance.now() - began);
      began = performance.now();
    },
  };
}

function counting(blobs: BlobStore): BlobStore & { bytes(): number } {
  const sizes = new Map<string, number>();
  return {
    put: async (tenant, bytes, options) => {
      const ref = await blobs.put(tenant, bytes, options);
      sizes.set(ref.hash, ref.size);
      return ref;
    },
    remove: (...given) => blobs.remove(...given),
    open: (tenant, hash, options) => blobs.open(tenant, hash, options),
    get: (tenant, hash, options) => blobs.get(tenant, hash, options),
    bytes: () => [...sizes.values()].reduce((sum, size) => sum + size, 0),
  };
}

function roundsByTurn(log: readonly Block[]): readonly number[] {
  const counts = new Map<string, number>();
  for (const { type, turn } of log)
    if (type === 'round.open') counts.set(turn, (counts.get(turn) ?? 0) + 1);
  return [...counts.values()];
}

/** From the window a compaction left, beside all blocks from the first. */
function openingFigure(log: readonly Block[], window: number): Figure {
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let n = 0; n < openings; n += 1) {
    ours.push(openingMs(log.filter(({ seq }) => seq >= window)));
    theirs.push(openingMs(log));
  }
  return toFigure('timeline.opening_vs_whole_log', { ours, theirs, unit: 'ms' });
}

function openingMs(blocks: readonly Block[]): number {
  const copy = structuredClone(blocks);
  const began = performance.now();
  const view = foldAll(emptyView, copy);
  render(view, { asOf: view.head, announce: '' });
  return performance.now() - began;
}

/** Ten blocks in one append, beside ten rows in one insert into a table with nothing but a primary key. */
async function appendFigure(url: string): Promise<Figure> {
  const database = openPostgres({ url, log: silentLog, prepared: statements });
  await using store = await openSqlTimelineStore(database);
  await database.script('create table bare (seq bigint primary key, body text)');
  const { key, lease } = await started(store);
  const text = 'The mean of the daily highs is above the normal. '.repeat(6);
  const many = Array.from({ length: blocksPerAppend }, () => thought(lease, text));
  const rows = many.map((_, index) => `($${2 * index + 1}, $${2 * index + 2})`).join(', ');
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let n = 0; n < appends; n += 1) {
    const began = performance.now();
    await store.append(key, append(lease, { blocks: many }), { signal });
    const between = performance.now();
    const values = many.flatMap((_, index) => [n * blocksPerAppend + index, text]);
    await database.query(`insert into bare values ${rows}`, values);
    ours.push(((between - began) * 1_000) / blocksPerAppend);
    theirs.push(((performance.now() - between) * 1_000) / blocksPerAppend);
  }
  return toFigure('timeline.append_10_blocks_vs_insert', { ours, theirs, unit: 'µs per block' });
}
