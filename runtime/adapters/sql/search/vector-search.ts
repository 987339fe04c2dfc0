import type { SnippetQuery } from '../../../timeline/ports/store.ts';
import type { RankedHit } from '../../../timeline/search/ranking.ts';
import { cosine, isVector, signs, strongComponents } from '../../../timeline/search/vectors.ts';
import type { Param } from '../database/database.ts';
import {
  nearCandidatesMax,
  nearExactMax,
  nearLookedMin,
  nearLookedPerCentre,
  nearnessMin,
  rankedSnippetsMax,
  vectorComponentsMax,
} from '../database/limits.ts';
import { toFlag } from '../rows/rows.ts';
import { type NearRow, type Space, toNearRow, toSpace } from './search-rows.ts';
import { type Extensions, inLineage, type Query, type SearchScope } from './search-scope.ts';

type Vector = NonNullable<SnippetQuery['vector']>;
type SimilarSnippet = { readonly id: string; readonly ageMs: number; readonly nearness: number };

/** Snippets with a similar meaning, most similar first; none if the space is unknown or has other dimensions. */
export async function rankByMeaning(
  run: Query,
  within: SearchScope,
  { vector, abilities }: { vector: Vector | undefined; abilities: Extensions },
): Promise<readonly RankedHit[]> {
  if (vector === undefined) return [];
  const [row] = await run(spaceStatement, [vector.space, within.scope]);
  const space = row === undefined ? undefined : toSpace(row);
  if (!space?.dimensions || !isVector(vector.values, space.dimensions)) return [];
  const statements = await statementsFor(run, within, { space, values: vector.values, abilities });
  const rows = await Promise.all(statements.map(([sql, params]) => run(sql, params)));
  return rows
    .flat()
    .map(toNearRow)
    .map((found) => toNearness(found, vector.values))
    .filter(({ nearness }) => nearness >= nearnessMin)
    .sort((a, b) => b.nearness - a.nearness || a.ageMs - b.ageMs)
    .slice(0, rankedSnippetsMax)
    .map(({ id, ageMs }, index) => ({ ranking: 'semantic', place: index + 1, id, ageMs }));
}

/** All vectors of the user are in the index of pgvector if none is assigned to a centre. */
const spaceStatement = `select id, dimensions, indexed, indexed and not exists (
    select from snippet_centre c where c.space = p.id and c.scope = $2::bigint) as placed
  from projection p where name = $1`;

type Statement = [sql: string, params: readonly Param[]];

/**
 * With pgvector it does the search alone, except while the vectors of a user with many of them are moved into its index:
 * then it searches those that are in the index, and the portable search the others.
 */
async function statementsFor(
  run: Query,
  within: SearchScope,
  { space, values, abilities }: { space: Space; values: readonly number[]; abilities: Extensions },
): Promise<readonly Statement[]> {
  const portable = portableStatement(space, within, values);
  if (!abilities.vectors || (space.dimensions ?? 0) > vectorComponentsMax) return [portable];
  if (space.placed) return [pgvectorStatement(space, within, { values, exactMax: nearExactMax })];
  if (within.conv !== null || (await isSmall(run, within, space)))
    return [pgvectorStatement(space, within, { values, exactMax: int4Max })];
  const placed = pgvectorStatement(space, within, { values, exactMax: nearExactMax });
  return space.indexed ? [placed, portable] : [portable];
}

async function isSmall(run: Query, { scope }: SearchScope, { id: space }: Space): Promise<boolean> {
  const counted = `select count(*) <= $3::int as yes from (
    select from snippet_vector v where v.space = $1 and v.scope = $2::bigint limit $3::int + 1) x`;
  return toFlag((await run(counted, [space, scope, nearExactMax]))[0]);
}

const age = `(extract(epoch from clock_timestamp() - s.at) * 1000)::float8 as age`;
const id = `s.conv || '.' || s.seq as id`;
const ofTurn = `($4::text is null or s.turn <> $4) and ($5::text is null or s.agent = $5)`;
const inRange = `v.target = any ($1) and ($2::timestamptz is null or v.at >= $2) and ($3::timestamptz is null or v.at < $3)
  and ${inLineage('v')}`;

/**
 * Portable approximate search in three steps: takes vectors around the centres nearest to the query's vector until there
 * are enough; keeps those whose sign bits differ least from the query's in its largest components; reads their vectors,
 * as `array_send` writes them, for the caller to compare exactly. The first two steps use only indexes. A search within
 * one conversation covers all its vectors, as does one of vectors without centres, from when pgvector was installed.
 */
function portableStatement(
  space: Space,
  { filters, scope, conv }: SearchScope,
  values: readonly number[],
): Statement {
  const agent =
    filters[4] === null
      ? ''
      : `and exists (select from snippet s where s.conv = v.conv and s.seq = v.seq and s.agent = $5)`;
  const signed = `select v.conv, v.seq, ${apart('v')} as apart from snippet_vector v
    where v.space = $8 and v.scope = $9::bigint and v.sign is not null and ${inRange} ${agent}`;
  // A lateral that is not flattened runs for one centre after the other, in order, until there are enough rows.
  const around = `select v.* from ${centres} c cross join lateral (
    ${signed} and v.centre = c.centre offset 0) v limit ${looked}`;
  const sql = `select ${id}, ${age}, null::float8 as near, array_send(n.vector) as vector from (
    select v.conv, v.seq from (${conv === null && !space.placed ? around : signed}) v order by v.apart limit ${nearCandidatesMax}) v
    join snippet_vector n on n.space = $8 and n.conv = v.conv and n.seq = v.seq
    join snippet s on s.conv = v.conv and s.seq = v.seq where ${ofTurn}`;
  return [sql, [...filters, space.id, scope, signs(values), strongComponents(values)]];
}

const apart = (row: string) => `bit_count((${row}.sign # $10::bit varying) & $11::bit varying)`;
const ofScope = 'from snippet_centre c where c.space = $8 and c.scope = $9::bigint';
const centres = `(select c.centre, ${apart('c')} as apart ${ofScope} order by apart nulls first)`;
const looked = `(select ${nearLookedMin} + ${nearLookedPerCentre} * count(*) ${ofScope})`;

/** The largest int of Postgres, less one that the function adds. */
const int4Max = 2 ** 31 - 2;

/** The same search with pgvector, which also returns the similarity. */
function pgvectorStatement(
  space: Space,
  { filters, scope }: SearchScope,
  { values, exactMax }: { values: readonly number[]; exactMax: number },
): Statement {
  const sql = `select ${id}, ${age}, v.near, null::bytea as vector
    from memory_near($8::int, $9::int, $10::real[], $11::bigint, $6::bigint[], $7::bigint[], $1::text[], $2::timestamptz,
      $3::timestamptz, $4::text, $5::text, ${rankedSnippetsMax}, $12::int) v
    join snippet s on s.conv = v.conv and s.seq = v.seq`;
  return [sql, [...filters, space.id, space.dimensions, toArray(values), scope, exactMax]];
}

export function toArray(values: readonly number[]): string {
  return `{${values.join(',')}}`;
}

function toNearness(
  { id: name, age: ageMs, near, vector }: NearRow,
  values: readonly number[],
): SimilarSnippet {
  const nearness = near ?? (vector ? cosine(fromBinary(vector), values) : 0);
  return { id: name, ageMs, nearness };
}

/** Binary array format: header of a one-dimensional array, then length and value of each component. */
const headerBytes = 20;
const componentBytes = 8;

function fromBinary(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const vector = new Float32Array(Math.max(0, (bytes.byteLength - headerBytes) / componentBytes));
  for (let index = 0; index < vector.length; index += 1) {
    vector[index] = view.getFloat32(headerBytes + index * componentBytes + 4);
  }
  return vector;
}
