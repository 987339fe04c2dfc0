create or replace function lexicon_word(p_lexeme text) returns bool language sql immutable as $f$
  select length(p_lexeme) <= 40 and (length(p_lexeme) >= 4 or octet_length(p_lexeme) > length(p_lexeme))
     and p_lexeme ~ '^[a-z\u0080-\U0010FFFF]+$'
$f$;
