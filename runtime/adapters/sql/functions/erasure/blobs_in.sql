-- A hash is a whole JSON text of the body: within another text its quotes would be escaped.
create or replace function blobs_in(p_body text) returns setof text language sql immutable as $f$
  select distinct x.found[1] from regexp_matches(p_body, '"(sha256:[0-9a-f]{64})"', 'g') as x (found)
$f$;
