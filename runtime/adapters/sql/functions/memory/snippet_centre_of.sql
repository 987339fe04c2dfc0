-- The nearest centre of the scope. The more centres there are, the less often a vector becomes one: about 600 among 10,000
-- vectors, 1,200 among 100,000 and 2,700 among a million.
create or replace function snippet_centre_of(p_space int, p_scope bigint, p_id bigint, p_sign bit varying) returns bigint
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
