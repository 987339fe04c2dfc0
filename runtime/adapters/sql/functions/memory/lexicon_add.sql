-- In order, so that two writers with the same new words do not deadlock.
create or replace function lexicon_add() returns trigger language plpgsql as $f$
begin
  insert into lexicon (word)
    select distinct x.lexeme from fresh, unnest(fresh.words) x
     where lexicon_word(x.lexeme) and not exists (select from lexicon l where l.word = x.lexeme) order by 1
    on conflict do nothing;
  return null;
end $f$;
