-- Removes a part of what is left of an erased conversation, newest first; true: there may be more. The bytes that it named
-- are removed later, if no other conversation names them.
create or replace function erasure_remove(p_conv bigint, p_snippets int, p_blocks int) returns boolean language plpgsql as $f$
#variable_conflict use_column
declare c conversation%rowtype; keeps bigint; n int;
begin
  select * into c from conversation x where x.id = p_conv and x.erased_at is not null;
  if not found then return false; end if;
  keeps := erasure_keeps(p_conv);
  delete from program_call where conv = p_conv;
  delete from view_window where conv = p_conv and seq > keeps;
  with dropped as (delete from blob_use where conv = p_conv and seq > keeps returning hash)
    insert into blob_removal (tenant, hash) select c.tenant, hash from dropped order by hash
    on conflict on constraint blob_removal_pkey do update set due_at = clock_timestamp();
  delete from snippet s using (
      select conv, seq from snippet where conv = p_conv and seq > keeps order by seq desc limit p_snippets) x
    where s.conv = x.conv and s.seq = x.seq;
  get diagnostics n = row_count;
  if n = p_snippets then return true; end if;
  delete from block b using (
      select conv, seq from block where conv = p_conv and seq > keeps order by seq desc limit p_blocks) x
    where b.conv = x.conv and b.seq = x.seq;
  get diagnostics n = row_count;
  return n = p_blocks;
end $f$;
