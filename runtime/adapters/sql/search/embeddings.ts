import type { SnippetToEmbed, SnippetVector } from '../../../timeline/ports/store.ts';
import { signs } from '../../../timeline/search/vectors.ts';
import type { Database } from '../database/database.ts';
import { projectionLookBack } from '../database/limits.ts';
import { snippetText } from '../rows/snippet-columns.ts';
import { toUnembedded } from './search-rows.ts';
import type { Query } from './search-scope.ts';
import { toArray } from './vector-search.ts';

const begin = `insert into projection (name)
  select $1::text where not exists (select from projection where name = $1) on conflict do nothing`;

/** Checks a few ids before the position again: a transaction that took an earlier id may have committed later. */
const claim = `with p as (
  select id, position from projection
   where name = $1 and (lease_until is null or lease_until <= clock_timestamp()) for update skip locked),
work as (
  select s.conv as key, s.seq, s.id, ${snippetText('s')} as text from p, snippet s
    join conversation c on c.id = s.conv and c.erased_at is null
   where s.id > p.position - ${projectionLookBack}
     and not exists (select from snippet_vector v where v.space = p.id and v.conv = s.conv and v.seq = s.seq)
   order by s.id limit $2),
claimed as (
  update projection set lease_until = clock_timestamp() + $3::float8 * interval '1 millisecond'
   where id = (select id from p) and exists (select from work) returning id)
select work.* from work, claimed order by work.id`;

/** A vector with other dimensions than its space is stored as null: it cannot be compared with the others. */
const keep = `with space as (
  update projection set position = greatest(position, $7::bigint), dimensions = coalesce(dimensions, $6::int), lease_until = null
   where name = $1 returning id, dimensions, indexed),
alive as (
  select s.id, s.conv, s.seq, s.scope, s.target, s.at, x.sign, x.vector
    from unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[]) as x (conv, seq, sign, vector)
    join snippet s on s.conv = x.conv and s.seq = x.seq
    join conversation c on c.id = s.conv and c.erased_at is null for key share of s),
kept as (
  insert into snippet_vector (space, conv, seq, scope, target, at, sign, vector, centre)
    select space.id, a.conv, a.seq, a.scope, a.target, a.at, x.sign, case when fits then a.vector::real[] end,
           case when fits and not space.indexed then snippet_centre_of(space.id, a.scope, a.id, x.sign) else 0 end
      from alive a, space, lateral (select length(a.sign) = space.dimensions as fits) f,
           lateral (select case when fits then a.sign::bit varying end as sign) x
    on conflict do nothing)
select from space`;

export async function claimUnembedded(
  run: Query,
  space: string,
  { limit, ttlMs }: { limit: number; ttlMs: number },
): Promise<readonly SnippetToEmbed[]> {
  await run(begin, [space]);
  return (await run(claim, [space, limit, ttlMs])).map(toUnembedded);
}

export async function keepVectors(
  database: Database,
  space: string,
  vectors: readonly SnippetVector[],
): Promise<void> {
  const dimensions = vectors.find(({ vector }) => vector)?.vector?.length ?? null;
  await database.query(keep, [
    space,
    vectors.map(({ key }) => `${key}`),
    vectors.map(({ seq }) => `${seq}`),
    vectors.map(({ vector }) => (vector ? signs(vector) : null)),
    vectors.map(({ vector }) => (vector ? toArray(vector) : null)),
    dimensions,
    Math.max(0, ...vectors.map(({ id }) => id)),
  ]);
}
