-- Moves some vectors of a space that were stored before it had an index of pgvector into that index: those with centre 0
-- are in it. A user whose centres are gone is searched with it. False: nothing is left to move.
create or replace function memory_place(p_space int, p_limit int) returns boolean language plpgsql as $f$
declare of_scope bigint; moved int;
begin
  -- Writers of vectors lock this row, too: none of them gives a vector a centre that is being removed.
  perform from projection p where p.id = p_space and p.indexed for update;
  if not found then
    return false;
  end if;
  select c.scope into of_scope from snippet_centre c where c.space = p_space limit 1;
  if not found then
    return false;
  end if;
  update snippet_vector v set centre = 0 from (
    select o.conv, o.seq from snippet_vector o where o.space = p_space and o.scope = of_scope and o.centre > 0
     limit p_limit for update) x
    where v.space = p_space and v.conv = x.conv and v.seq = x.seq;
  get diagnostics moved = row_count;
  if moved < p_limit then
    delete from snippet_centre c where c.space = p_space and c.scope = of_scope;
  end if;
  return true;
end $f$;
