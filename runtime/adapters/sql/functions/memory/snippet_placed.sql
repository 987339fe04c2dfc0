-- Fills in what is derived: the scope, the turn and its agent, unless a turn that opens gives them, and the words. What stands before the unit separator of the
-- text is its subject, which weighs more. The configuration 'simple' suits every language. No word begins with '@', so
-- names of scopes cannot be searched for.
create or replace function snippet_placed() returns trigger language plpgsql as $f$
declare
  sep int := position(E'\x1f' in new.text);
begin
  if new.scope is null then
    select memory_scope(c.tenant, c.project, c.owner), b.turn, t.agent into new.scope, new.turn, new.agent
      from conversation c join block b on b.conv = c.id and b.seq = new.seq
      left join turn t on t.conv = b.conv and t.turn = b.turn
     where c.id = new.conv;
  end if;
  new.words := setweight(to_tsvector('simple', memory_plain(substr(new.text, sep + 1))), 'B')
    || array_to_tsvector(array['@s' || new.scope, '@c' || new.conv, '@a' || new.scope || '/' || coalesce(new.agent, '')]);
  if sep > 0 then
    new.words := setweight(to_tsvector('simple', memory_plain(left(new.text, sep - 1))), 'A') || new.words;
  end if;
  return new;
end $f$;
