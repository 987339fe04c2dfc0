create or replace function storage_place(p_space text) returns bytea language sql stable as $f$
  select sha256(convert_to(p_space, 'UTF8'))
$f$;
