create or replace function iso_utc(p_at timestamptz) returns text language sql immutable as $f$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$f$;
