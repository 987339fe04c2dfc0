-- False: the space is full. Writers of new keys of one space take turns, so that the limit is never exceeded.
create or replace function storage_set_living(
  p_space text, p_key text, p_value text, p_ttl_ms float8, p_keys_max int, p_removed_max int
) returns boolean language plpgsql as $f$
declare p_place bytea := storage_place(p_space); p_until timestamptz; others bigint;
begin
  p_until := clock_timestamp() + p_ttl_ms * interval '1 millisecond';
  update stored_value v set value = p_value, until = p_until
    where v.place = p_place and v.key = p_key and (v.until is null or v.until > clock_timestamp());
  if not found then
    perform pg_advisory_xact_lock(hashtextextended(p_space, 0));
    select count(*) into others from (
      select from stored_value v where v.place = p_place and v.key <> p_key
         and (v.until is null or v.until > clock_timestamp()) limit p_keys_max) x;
    if others >= p_keys_max then
      return false;
    end if;
    insert into stored_value values (p_space, p_place, p_key, p_value, p_until)
      on conflict (place, key) do update set value = excluded.value, until = excluded.until;
  end if;
  -- Last, and of nobody who is at work on one: so no two writers wait for each other.
  delete from stored_value v using (
    select place, key from stored_value where until <= clock_timestamp()
     order by until limit p_removed_max for update skip locked) gone
    where v.place = gone.place and v.key = gone.key;
  return true;
end $f$;
