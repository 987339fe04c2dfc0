-- If the snippet of a centre is erased, another one of that centre takes its place.
create or replace function snippet_centre_erased() returns trigger language plpgsql as $f$
begin
  update snippet_centre c set (snippet, sign) = (
    select s.id, v.sign from snippet_vector v join snippet s on s.conv = v.conv and s.seq = v.seq
     where v.space = c.space and v.scope = c.scope and v.centre = c.centre limit 1)
    from gone where c.snippet = gone.id;
  return null;
end $f$;
