import { z } from 'zod';
import type { Database } from '../database/database.ts';
import {
  nearExactMax,
  placedVectorsMax,
  placingMsMax,
  vectorComponentsMax,
} from '../database/limits.ts';
import { parseRow, toFlag } from '../rows/rows.ts';

/** Components up to which pgvector indexes a vector as it is, and as `halfvec`; longer ones are indexed by their signs. */
const wholeComponentsMax = 2_000;
const halfComponentsMax = 4_000;

const spaceStatement = `select p.id, p.dimensions, p.indexed,
    exists (select from snippet_centre c where c.space = p.id) as unplaced,
    (select count(*) from (select from snippet_vector v where v.space = p.id limit $2::int + 1) x) > $2::int as large
  from projection p where p.name = $1`;
const PlacingRow = z.object({
  id: z.number(),
  dimensions: z.number().nullable(),
  indexed: z.boolean(),
  unplaced: z.boolean(),
  large: z.boolean(),
});

/**
 * Brings the vectors of a large space into its index of pgvector: creates the index before it holds any vector, so that
 * nothing waits for it, and moves vectors that are older than the index a few at a time. Repeated calls go on where the
 * last one stopped.
 */
export async function placeVectors(
  database: Database,
  space: string,
  { exactMax = nearExactMax }: { exactMax?: number } = {},
): Promise<void> {
  const [row] = await database.query(spaceStatement, [space, exactMax]);
  if (row === undefined) return;
  const { id, dimensions, indexed, unplaced, large } = parseRow(PlacingRow, row);
  if (dimensions === null || dimensions > vectorComponentsMax || !unplaced) return;
  if (!indexed && !large) return;
  if (!indexed) await database.script(indexScript(id, dimensions));
  const untilMs = performance.now() + placingMsMax;
  while (performance.now() < untilMs) {
    const [moved] = await database.query('select memory_place($1, $2) as yes', [
      id,
      placedVectorsMax,
    ]);
    if (!toFlag(moved)) return;
  }
}

function indexScript(id: number, dimensions: number): string {
  return `select pg_advisory_xact_lock(${indexLock});
    create index if not exists snippet_near_${id} on snippet_vector
      using hnsw (${indexedValue(dimensions)}) where space = ${id} and centre = 0;
    update projection set indexed = true where id = ${id};`;
}

function indexedValue(dimensions: number): string {
  const whole = `vector::vector(${dimensions})`;
  if (dimensions <= wholeComponentsMax) return `(${whole}) vector_cosine_ops`;
  if (dimensions <= halfComponentsMax) return `(vector::halfvec(${dimensions})) halfvec_cosine_ops`;
  return `(binary_quantize(${whole})::bit(${dimensions})) bit_hamming_ops`;
}

const indexLock = 7_411_407;
