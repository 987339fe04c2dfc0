import type { SnippetQuery } from '../../../timeline/ports/store.ts';
import type { RankedHit } from '../../../timeline/search/ranking.ts';
import { cosine, isVector, signs, strongComponents } from '../../../timeline/search/vectors.ts';
import type { Param } from '../database/database.ts';
import {
  nearCandidatesMax,
  nearLookedMin,
  nearLookedPerCentre,
  nearnessMin,
  rankedSnippetsMax,
} from '../database/limits.ts';
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
  const [row] = await run(spaceStatement, [vector.space]);
  const space = row === undefined ? undefined : toSpace(row);
  if (!space?.dimensions || !isVector(vector.values, space.dimensions)) return [];
  // The index narrows to one conversation; a fork's log is of several.
  const indexed = abilities.vectors && space.indexed && !within.isFork;
  const [sql, params] = indexed
    ? indexedStatement(space, within, vector.values)
    : portableStatement(space, within, vector.values);
  return (await run(sql, params))
    .map(toNearRow)
    .map((found) => toNearness(found, vector.values))
    .filter(({ nearness }) => nearness >= nearnessMin)
    .sort((a, b) => b.nearness - a.nearness || a.ageMs - b.ageMs)
    .slice(0, rankedSnippetsMax)
    .map(({ id, ageMs }, index) => ({ ranking: 'semantic', place: index + 1, id, ageMs }));
}

export const spaceStatement =
  'select id, dimensions, indexed, position from projection where name = $1';

const age = `(extract(epoch from clock_timestamp() - s.at) * 1000)::float8 as age`;
const id = `s.conv || '.' || s.seq as id`;
const ofTurn = `($4::text is null or s.turn <> $4) and ($5::text is null or s.agent = $5)`;
const inRange = `v.target = any ($1) and ($2::timestamptz is null or v.at >= $2) and ($3::timestamptz is null or v.at < $3)
  and ${inLineage('v')}`;

/**
 * Portable approximate search in three steps: takes vectors around the centres nearest to the query's vector until there
 * are enough; keeps those whose sign bits differ least from the query's in its largest components; reads their vectors,
 * as `array_send` writes them, for the caller to compare exactly. The first two steps use only indexes. A search within
 * one conversation covers all its vectors.
 */
function portableStatement(
  space: Space,
  { filters, scope, conv }: SearchScope,
  values: readonly number[],
): [string, readonly Param[]] {
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
    select v.conv, v.seq from (${conv === null ? around : signed}) v order by v.apart limit ${nearCandidatesMax}) v
    join snippet_vector n on n.space = $8 and n.conv = v.conv and n.seq = v.seq
    join snippet s on s.conv = v.conv and s.seq = v.seq where ${ofTurn}`;
  return [sql, [...filters, space.id, scope, signs(values), strongComponents(values)]];
}

const apart = (row: string) => `bit_count((${row}.sign # $10::bit varying) & $11::bit varying)`;
const ofScope = 'from snippet_centre c where c.space = $8 and c.scope = $9::bigint';
const centres = `(select c.centre, ${apart('c')} as apart ${ofScope} order by apart nulls first)`;
const looked = `(select ${nearLookedMin} + ${nearLookedPerCentre} * count(*) ${ofScope})`;

/** The same search with the HNSW index of pgvector, which also returns the similarity. */
function indexedStatement(
  space: Space,
  { filters, scope, conv }: SearchScope,
  values: readonly number[],
): [string, readonly Param[]] {
  const sql = `select ${id}, ${age}, v.near, null::bytea as vector
    from ${searchFunctionName(space.id)}($8::real[], $9::bigint, $10::bigint, $1, $2::timestamptz, $3::timestamptz, ${nearCandidatesMax}) v
    join snippet s on s.conv = v.conv and s.seq = v.seq where ${ofTurn} and ${inLineage('s')}`;
  return [sql, [...filters, toArray(values), scope, conv]];
}

export function searchFunctionName(space: number): string {
  return `memory_near_${space}`;
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
