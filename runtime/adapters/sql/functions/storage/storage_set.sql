-- A value for an erased conversation is dropped: it could never be read. False: the space is full.
create or replace function storage_set(
  p_space text, p_key text, p_value text, p_ttl_ms float8, p_keys_max int, p_removed_max int
) returns boolean language plpgsql as $f$
begin
  if starts_with(p_space, 'conversation/') and exists (
    select from conversation c where c.tenant = split_part(p_space, '/', 2) and c.project = split_part(p_space, '/', 3)
       and c.cid = split_part(p_space, '/', 5)
       and uri_component(c.owner) = split_part(p_space, '/', 6) and c.erased_at is not null
  ) then
    return true;
  end if;
  return storage_set_living(p_space, p_key, p_value, p_ttl_ms, p_keys_max, p_removed_max);
end $f$;
