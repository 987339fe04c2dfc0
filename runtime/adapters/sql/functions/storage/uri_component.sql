-- Like encodeURIComponent.
create or replace function uri_component(p_text text) returns text language sql immutable as $f$
  select coalesce(string_agg(case when x.c ~ '[A-Za-z0-9_.!~*''()-]' then x.c
    else regexp_replace(upper(encode(convert_to(x.c, 'UTF8'), 'hex')), '(..)', '%\1', 'g') end, '' order by x.n), '')
    from regexp_split_to_table(p_text, '') with ordinality as x (c, n)
$f$;
