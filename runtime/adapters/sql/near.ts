import type { Ranked } from '../../timeline/ranking.ts';
import type { SnippetQuery } from '../../timeline/store.ts';
import { cosine, isVector, signs } from '../../timeline/vectors.ts';
import type { Param } from './database.ts';
import { nearCandidatesMax, nearnessMin, rankedSnippetsMax } from './limits.ts';
import { type Abilities, inLine, type Query, type Within } from './search-place.ts';
import { type NearRow, type Space, toNear, toSpace } from './search-rows.ts';

type Vector = NonNullable<SnippetQuery['vector']>;
type Near = { readonly id: string; readonly ageMs: number; readonly nearness: number };

/** Snippets that mean nearly the same, nearest first; nothing where the space is not known or has other vectors. */
export async function rankNear(
  run: Query,
  within: Within,
  { vector, abilities }: { vector: Vector | undefined; abilities: Abilities },
): Promise<readonly Ranked[]> {
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
    .map(toNear)
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
  and ${inLine('v')}`;

/**
 * All vectors of the scope by how many signs they share with the query's, out of an index alone; the nearest of these
 * come as they are, as \`array_send\` writes them, and are compared exactly by the caller.
 */
function portableStatement(
  space: Space,
  { filters, scope }: Within,
  values: readonly number[],
): [string, readonly Param[]] {
  const agent =
    filters[4] === null
      ? ''
      : `and exists (select from snippet s where s.conv = v.conv and s.seq = v.seq and s.agent = $5)`;
  const sql = `select ${id}, ${age}, null::float8 as near, array_send(n.vector) as vector from (
    select v.conv, v.seq from snippet_vector v
     where v.space = $8 and v.scope = $9::bigint and v.sign is not null and ${inRange} ${agent}
     order by bit_count(v.sign # $10::bit varying) limit ${nearCandidatesMax}) v
    join snippet_vector n on n.space = $8 and n.conv = v.conv and n.seq = v.seq
    join snippet s on s.conv = v.conv and s.seq = v.seq where ${ofTurn}`;
  return [sql, [...filters, space.id, scope, signs(values)]];
}

/** The same by the index of pgvector, which knows how near each one is. */
function indexedStatement(
  space: Space,
  { filters, scope, conv }: Within,
  values: readonly number[],
): [string, readonly Param[]] {
  const sql = `select ${id}, ${age}, v.near, null::bytea as vector
    from ${nearFunction(space.id)}($8::real[], $9::bigint, $10::bigint, $1, $2::timestamptz, $3::timestamptz, ${nearCandidatesMax}) v
    join snippet s on s.conv = v.conv and s.seq = v.seq where ${ofTurn} and ${inLine('s')}`;
  return [sql, [...filters, toArray(values), scope, conv]];
}

export function nearFunction(space: number): string {
  return `memory_near_${space}`;
}

export function toArray(values: readonly number[]): string {
  return `{${values.join(',')}}`;
}

function toNearness(
  { id: name, age: ageMs, near, vector }: NearRow,
  values: readonly number[],
): Near {
  const nearness = near ?? (vector ? cosine(fromBinary(vector), values) : 0);
  return { id: name, ageMs, nearness };
}

/** Header of a one-dimensional array, then length and value of each component. */
const headerBytes = 20;
const componentBytes = 8;

function fromBinary(bytes: Uint8Array): readonly number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = Math.max(0, Math.floor((bytes.byteLength - headerBytes) / componentBytes));
  return Array.from({ length: count }, (_, index) =>
    view.getFloat32(headerBytes + index * componentBytes + 4),
  );
}
