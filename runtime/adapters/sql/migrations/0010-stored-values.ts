/** Small values of bundles, each in the space of its owner. The database's clock decides when a value expires. */
export const storedValues = `
create table stored_value (
  space text not null,                   -- for people; the digest of it is what is looked for, however long it is
  place bytea not null,
  key   text collate "C" not null,
  value text not null,                   -- JSON as text
  until timestamptz,                     -- null: until it is deleted
  primary key (place, key)
);
create index stored_value_until on stored_value (until) where until is not null;

create function storage_place(p_space text) returns bytea language sql stable as $f$
  select sha256(convert_to(p_space, 'UTF8'))
$f$;

-- False: the space is full. Writers of new keys of one space wait for each other, so that none is one too many.
create function storage_set(
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
`;
