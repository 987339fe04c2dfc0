/**
 * Approximate vector search without pgvector: some vectors of a user are centres, and every vector belongs to one. A
 * search reads only the vectors of the nearest centres, so its cost hardly grows with the number of vectors.
 */
export const memoryCentres = `
create table snippet_centre (
  space   int not null references projection (id) on delete cascade,
  scope   bigint not null,
  centre  bigint not null,               -- its name: the id of the first snippet there
  snippet bigint,                        -- whose signs it has; null: all that stood around it is erased
  sign    bit varying,
  primary key (space, scope, centre) include (sign)
);
create index snippet_centre_snippet on snippet_centre (snippet);

-- The nearest centre of the scope. A vector becomes one itself more seldom the more there are: some 600 among 10,000
-- vectors, 1,200 among 100,000 and 2,700 among a million.
create function snippet_centre_of(p_space int, p_scope bigint, p_id bigint, p_sign bit varying) returns bigint
language plpgsql as $f$
declare nearest bigint; centres bigint;
begin
  select count(*) into centres from snippet_centre c where c.space = p_space and c.scope = p_scope;
  if random() * centres ^ 2 > 6400 then
    select c.centre into nearest from snippet_centre c where c.space = p_space and c.scope = p_scope
     order by bit_count(c.sign # p_sign) limit 1;
    return nearest;
  end if;
  insert into snippet_centre values (p_space, p_scope, p_id, p_id, p_sign) on conflict do nothing;
  return p_id;
end $f$;

-- Where the snippet of a centre is erased, one that stands there takes its place.
create function snippet_centre_erased() returns trigger language plpgsql as $f$
begin
  update snippet_centre c set (snippet, sign) = (
    select s.id, v.sign from snippet_vector v join snippet s on s.conv = v.conv and s.seq = v.seq
     where v.space = c.space and v.scope = c.scope and v.centre = c.centre limit 1)
    from gone where c.snippet = gone.id;
  return null;
end $f$;
create trigger snippet_centre_erased after delete on snippet referencing old table as gone
  for each statement execute function snippet_centre_erased();

-- 0: around none, for an index of pgvector knows what is near. Vectors from before there were centres are looked at first.
alter table snippet_vector add column centre bigint not null default 0;
insert into snippet_centre (space, scope, centre) select distinct space, scope, 0 from snippet_vector;
drop index snippet_vector_near;
create index snippet_vector_near on snippet_vector (space, scope, centre) include (conv, seq, target, at, sign);
`;
