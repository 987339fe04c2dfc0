-- Case, accents and width do not matter in a search, in any language.
create or replace function memory_plain(p_text text) returns text language sql immutable parallel safe as $f$
  select lower(normalize(regexp_replace(normalize(p_text, NFKD), '[\u0300-\u036f]+', '', 'g'), NFC))
$f$;
