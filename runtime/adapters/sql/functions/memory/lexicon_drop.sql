-- A word goes with the last snippet that has it.
create or replace function lexicon_drop() returns trigger language plpgsql as $f$
begin
  delete from lexicon l using (select distinct x.lexeme from gone, unnest(gone.words) x where lexicon_word(x.lexeme)) g
   where l.word = g.lexeme and not exists (select from snippet s where s.words @@ quote_literal(g.lexeme)::tsquery);
  return null;
end $f$;
